/** How parts of a text for people stand out, e.g. by colour. */
export interface TextStyle {
  readonly heading: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly warning: (text: string) => string
  readonly bad: (text: string) => string
}

const same = (text: string): string => text

export const plainStyle: TextStyle = { heading: same, dim: same, good: same, warning: same, bad: same }

export interface OnFirstUse<T> {
  use(): Promise<T>
  /** Does nothing if it was never used. */
  end(release: (value: T) => Promise<void>): Promise<void>
}

/** Something that is made for the first case that asks for it, and shared by the rest. */
export function onFirstUse<T>(make: () => Promise<T>): OnFirstUse<T> {
  let made: Promise<T> | undefined
  return {
    use: () => {
      made ??= make()
      return made
    },
    end: async (release) => {
      if (made !== undefined) await release(await made)
    },
  }
}

import type { ConformanceOutcome } from '../../src/testing/harness.ts'

/** How one case of the suite ended on one store. */
export interface CaseResult {
  /** Head of the column, e.g. `PostgreSQL 15.18`. */
  readonly store: string
  /** Begins with the rule. */
  readonly title: string
  readonly outcome: ConformanceOutcome | 'failed'
}

/** Rules by stores, as a table in Markdown: what was seen to hold, and what is refused by code. */
export function conformanceTable(results: readonly CaseResult[]): string {
  const stores = [...new Set(results.map(({ store }) => store))]
  const rules = [...new Set(results.map(({ title }) => ruleOf(title)))].sort((a, b) => order(a).localeCompare(order(b)))
  const lines = rules.map((rule) => {
    const ofRule = results.filter(({ title }) => ruleOf(title) === rule)
    return row([rule, ...stores.map((store) => cell(ofRule.filter((result) => result.store === store)))])
  })
  return [row(['rule', ...stores]), row(['---', ...stores.map(() => '---')]), ...lines].join('\n')
}

/** The cells of a table, by rule and head of column. */
export function tableCells(markdown: string): Map<string, string> {
  const [head = [], , ...rows] = markdown
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((text) => text.trim()),
    )
  const cells = new Map<string, string>()
  for (const [rule, ...texts] of rows) {
    for (const [index, text] of texts.entries()) cells.set(`${rule} on ${head[index + 1]}`, text)
  }
  return cells
}

function cell(results: readonly CaseResult[]): string {
  const count = (outcome: CaseResult['outcome']): number => results.filter((one) => one.outcome === outcome).length
  const [failed, passed, refused] = [count('failed'), count('passed'), count('refused')]
  const parts = [
    ...(failed > 0 ? [`**${failed} failed**`] : []),
    ...(passed > 0 ? [`${passed}`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ]
  return parts.length === 0 ? '–' : parts.join(', ')
}

function ruleOf(title: string): string {
  return title.split(' ', 1)[0] ?? title
}

/** In the order of the specification: K, G, A, O, B, R, C. */
function order(rule: string): string {
  const letter = 'KGAOBRC'.indexOf(rule.charAt(0))
  return `${letter}${rule.slice(1).padStart(3, '0')}`
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

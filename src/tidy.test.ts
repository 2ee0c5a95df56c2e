import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { builtinConnectors } from './builtin-connectors.ts'
import { errorCodes } from './errors.ts'
import { renderOptionsPage } from './options/render-options-page.ts'
import { sharedOptions } from './options/shared-options.ts'

/** The repository checks what no compiler sees: that prose, data and code say the same. */

const root = join(import.meta.dirname, '..')
const sources = ['src', 'adapters', 'integration-tests'].flatMap((folder) => filesUnder(folder, '.ts'))
const code = sources.filter((file) => !isTest(file) && !file.startsWith('integration-tests/'))
const pages = [...filesUnder('docs', '.md'), ...readdirSync(root).filter((file) => file.endsWith('.md'))]

describe('the specification', () => {
  const rules = specifiedRules()
  const tested = testedRules()

  test('every rule is named by a test, unless it is planned', () => {
    const built = [...rules].filter(([, { planned }]) => !planned).map(([id]) => id)
    expect(built.filter((id) => !tested.has(id))).toEqual([])
  })

  test('every rule that a test names is specified', () => {
    expect([...tested].filter(([id]) => !rules.has(id))).toEqual([])
  })
})

describe('errors', () => {
  const explained = headings('docs/errors.md').filter((heading) => /^[A-Z_]+$/.test(heading))

  test('every code is explained in docs/errors.md, in the order of the list', () => {
    expect(explained).toEqual([...errorCodes])
  })

  test('every code is raised somewhere', () => {
    const texts = code.filter((file) => file !== 'src/errors.ts').map(read)
    const unused = errorCodes.filter((name) => !texts.some((text) => text.includes(`'${name}'`)))
    expect(unused).toEqual([])
  })
})

describe('options', () => {
  test('docs/options.md is what the option tables say', async () => {
    const connectors = await Promise.all(Object.values(builtinConnectors).map((load) => load()))
    await expect(renderOptionsPage(sharedOptions, connectors)).toMatchFileSnapshot('../docs/options.md')
  })
})

describe('the package', () => {
  const { exports, scripts } = JSON.parse(read('package.json')) as {
    exports: Record<string, unknown>
    scripts: Record<string, string>
  }
  const prose = pages.map(read).join('\n')

  test('every entry point is named in the documentation', () => {
    const entries = Object.keys(exports).filter((entry) => entry !== './package.json')
    const missing = entries.map((entry) => `tidegate${entry.slice(1)}`).filter((name) => !prose.includes(`'${name}'`))
    expect(missing).toEqual([])
  })

  test('every adapter is an entry point with a page of its own', () => {
    const adapters = readdirSync(join(root, 'adapters'))
    expect(adapters.filter((name) => exports[`./${name}`] === undefined)).toEqual([])
    expect(adapters.filter((name) => !existsSync(join(root, 'docs', 'connectors', `${name}.md`)))).toEqual([])
  })

  test('every name that the package exports stands in the documentation', () => {
    const names = ['src/index.ts', 'src/testing/index.ts'].flatMap((door) => exportedNames(read(door)))
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(prose))).toEqual([])
  })

  test('every npm script that the documentation names is there', () => {
    const named = [...prose.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? '')
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })
})

describe('the documentation', () => {
  test('every relative link leads to a file, and to a heading if it names one', () => {
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter((link) => !leadsSomewhere(page, link))
        .map((link) => `${page}: ${link}`),
    )
    expect(broken).toEqual([])
  })

  test('every page can be reached from docs/index.md', () => {
    const reached = new Set<string>(['docs/index.md'])
    for (const page of reached) {
      if (extname(page) !== '.md' || !existsSync(join(root, page))) continue
      for (const link of linksOf(page)) reached.add(join(dirname(page), link.replace(/#.*$/, '')))
    }
    expect(pages.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([])
  })
})

describe('the source', () => {
  test('no folder is named after nothing in particular', () => {
    const vague = /(^|\/)(utils?|common|helpers?|types|misc|shared)\//
    expect(sources.filter((file) => vague.test(file))).toEqual([])
  })

  test('file names are in kebab-case', () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|test-d|test-support))?\.ts$/
    expect(sources.filter((file) => !kebab.test(basename(file)))).toEqual([])
  })

  test('nothing is left to do, and no file knows the machine that it was written on', () => {
    const left = /\b(TODO|FIXME|XXX|HACK)\b|\/(root|home|work)\/[a-z]/
    const files = [...sources, ...pages].filter((file) => file !== 'src/tidy.test.ts')
    expect(files.flatMap((file) => linesWith(file, left))).toEqual([])
  })

  test('no file exports a default or everything of another', () => {
    const door = /^export (default\b|\* )/m
    expect(code.filter((file) => door.test(read(file)))).toEqual([])
  })

  test('no file is too long to be read in one go', () => {
    const linesMax = 700
    expect(code.filter((file) => read(file).split('\n').length > linesMax)).toEqual([])
  })

  test('every skipped test says why', () => {
    const silent = /\b(test|describe)(\.\w+)*\.(skip|todo|only|skipIf|runIf)\b/
    expect(sources.filter(isTest).flatMap((file) => linesWith(file, silent))).toEqual([])
  })
})

interface Rule {
  readonly planned: boolean
}

/** Rules of docs/SPEC.md: a heading `### K1 · …`, whose text begins with `Planned:` while the rule is not built. */
function specifiedRules(): Map<string, Rule> {
  const parts = read('docs/SPEC.md').split(/^### /m).slice(1)
  return new Map(
    parts.map((part) => {
      const [heading = '', ...lines] = part.split('\n')
      const id = heading.split(' ')[0] ?? ''
      return [id, { planned: lines.find((line) => line !== '')?.startsWith('Planned:') ?? false }]
    }),
  )
}

/** Rule ids at the start of a title in a test, or of an id or title in the data of the conformance suite; and where. */
function testedRules(): Map<string, string> {
  const title =
    /(?:\b(?:test|describe)(?:\.\w+)*(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\(\s*|\b(?:id|title):\s*)['"`]([^'"`]*)/g
  const ids = /^[KGAOBRC]\d+\b(?:(?:, | and |\/)[KGAOBRC]\d+\b)*/
  const tested = new Map<string, string>()
  for (const file of sources.filter((name) => isTest(name) || name.startsWith('src/testing/'))) {
    for (const [, text = ''] of read(file).matchAll(title)) {
      for (const id of ids.exec(text)?.[0].match(/[A-Z]\d+/g) ?? []) tested.set(id, file)
    }
  }
  return tested
}

/** Names in the export lists of a module. */
function exportedNames(text: string): string[] {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','))
  const declared = [...text.matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm)]
  return [
    ...lists.map((item) => item.trim().split(/\s+/).at(-1) ?? '').filter((name) => name !== ''),
    ...declared.map(([, name = '']) => name),
  ]
}

function linksOf(page: string): string[] {
  const text = read(page).replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || headings(target).some((heading) => slug(heading) === anchor)
}

function headings(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.trim())
}

/** The anchor that GitHub gives a heading. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

function linesWith(file: string, pattern: RegExp): string[] {
  return read(file)
    .split('\n')
    .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []))
}

function filesUnder(folder: string, extension: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

function isTest(file: string): boolean {
  return /\.(test|test-d|test-support)\.ts$/.test(file)
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

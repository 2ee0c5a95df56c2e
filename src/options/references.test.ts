import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expandReferences, processReferences, type ReferenceSource } from './references.ts'

const env = (name: string) => `\${env:${name}}`
const file = (path: string) => `\${file:${path}}`

const source: ReferenceSource = {
  env: { USER: 'ada', EMPTY: '', NESTED: env('USER') },
  readFile: (path) => {
    if (path !== '/run/secret') throw new Error('ENOENT')
    return 'hunter2\n'
  },
}

test('references are replaced, several in one text', () => {
  expect(expandReferences(`x://${env('USER')}:${file('/run/secret')}@h/${env('EMPTY')}`, source)).toEqual({
    value: 'x://ada:hunter2@h/',
  })
})

test('other braces are left alone', () => {
  for (const text of ['plain', '$', '{x}', `\${topic}`, '$env:USER', `\${ENV:USER}`]) {
    expect(expandReferences(text, source)).toEqual({ value: text })
  }
})

test('what was put in is not looked at again', () => {
  expect(expandReferences(env('NESTED'), source)).toEqual({ value: env('USER') })
})

test('C2 what is missing is named by its reference, all of it at once', () => {
  expect(expandReferences(`${env('NOPE')} ${file('/nope')} ${file('/run/secret')}`, source)).toEqual({
    problem: `${env('NOPE')}: the variable is not set; ${file('/nope')}: the file cannot be read`,
  })
  expect(expandReferences(`\${env:USER`, source)).toEqual({ problem: 'a reference is not closed by }' })
  expect(expandReferences(env('constructor'), source)).toEqual({
    problem: `${env('constructor')}: the variable is not set`,
  })
})

test('the process gives its environment and its files, without the last line break', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-references-'))
  try {
    writeFileSync(join(folder, 'secret'), 'a\nb\r\n')
    process.env['TIDEGATE_REFERENCE_TEST'] = 'from the environment'
    expect(
      expandReferences(`${env('TIDEGATE_REFERENCE_TEST')} ${file(join(folder, 'secret'))}`, processReferences),
    ).toEqual({ value: 'from the environment a\nb' })
  } finally {
    delete process.env['TIDEGATE_REFERENCE_TEST']
    rmSync(folder, { recursive: true })
  }
})

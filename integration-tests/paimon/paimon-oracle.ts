import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { PaimonCase } from './paimon-case.ts'

export type PaimonAnswer =
  | { readonly id: string; readonly rows: readonly (readonly unknown[])[] }
  | { readonly id: string; readonly error: string }

const sources = fileURLToPath(new URL('../../../../integration-tests/paimon/', import.meta.url))
const home = fileURLToPath(new URL('../../../paimon-library/', import.meta.url))
const classPath = `${home}classes:${home}lib/*`

/** What real Paimon tables hold after each case. Needs a JDK and Maven; the library is fetched once, into `.cache`. */
export async function askPaimon(cases: readonly PaimonCase[]): Promise<readonly PaimonAnswer[]> {
  install()
  const java = spawn('java', ['-Xmx1g', '-XX:+UseSerialGC', '-cp', classPath, 'PaimonOracle'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  java.stdin.end(cases.map((one) => `${JSON.stringify(question(one))}\n`).join(''))
  const lines = (await text(java.stdout)).trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

function question({ id, columns, options, rounds, commit }: PaimonCase): unknown {
  return {
    id,
    columns,
    primaryKey: ['k'],
    // compaction would merge some records of a key before the others have come
    options: options['merge-engine'] === 'first-row' ? options : { ...options, 'write-only': 'true' },
    commits: commit === 'one' ? [rounds.flat()] : rounds,
    compact: options['merge-engine'] === 'first-row',
  }
}

function install(): void {
  if (!existsSync(`${home}lib`)) {
    mkdirSync(home, { recursive: true })
    run('mvn', [
      '-q',
      '-B',
      '-f',
      `${sources}pom.xml`,
      'dependency:copy-dependencies',
      `-DoutputDirectory=${home}lib`,
      '-DincludeScope=runtime',
    ])
  }
  run('javac', ['-nowarn', '-cp', `${home}lib/*`, '-d', `${home}classes`, `${sources}PaimonOracle.java`])
}

function run(command: string, options: readonly string[]): void {
  const { status, error } = spawnSync(command, options, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${command} ${error?.message ?? `ended with ${status}`}`)
}

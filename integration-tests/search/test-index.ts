import { afterAll } from 'vitest'
import type { Change } from '../../src/changelog/element.ts'
import { createSink } from '../../src/sink/create-sink.ts'
import type { CreateSinkOptions } from '../../src/sink/create-sink-options.ts'
import type { FlushReport } from '../../src/sink/sink.ts'
import { visibleDocuments } from '../conformance/search-harness.ts'
import { askSearch } from '../services/search/search-server.ts'
import type { SearchAccess } from '../stores.ts'

/** Indices of a test file's own, all with one prefix, removed after the tests of the current `describe`. */
export class TestIndices {
  readonly #server: SearchAccess
  readonly #prefix = `t${Math.random().toString(36).slice(2, 8)}`
  readonly #names = new Set<string>()

  constructor(server: SearchAccess) {
    this.#server = server
    afterAll(async () => {
      if (this.#names.size > 0) await this.ask('DELETE', `/${[...this.#names].join(',')}?ignore_unavailable=true`)
    })
  }

  name(name: string): string {
    const index = `${this.#prefix}-${name}`
    this.#names.add(index)
    return index
  }

  async ask(method: string, path: string, body?: unknown): Promise<string> {
    return await askSearch(this.#server.url, method, path, body)
  }

  /** CREATE TABLE of a sink; `columns` is what stands between the parentheses. */
  ddl(name: string, columns: string, options: Readonly<Record<string, string>> = {}): string {
    const { connector, url } = this.#server
    const given = { connector, hosts: url, index: this.name(name), 'sink.create-table': 'if-not-exists', ...options }
    const lines = Object.entries(given).map(([option, value]) => `'${option}' = '${value}'`)
    return `CREATE TABLE \`${name}\` (${columns}) WITH (${lines.join(', ')})`
  }

  /** The declared columns of what a reader sees, in order of `id`. */
  async rows(name: string): Promise<Record<string, unknown>[]> {
    const found = await visibleDocuments(this.#server.url, { name, options: { index: this.name(name) } })
    return found.map(({ __tidegate_deleted, ...row }) => row).sort((a, b) => Number(a['id']) - Number(b['id']))
  }
}

export async function writeAll(
  table: string,
  changes: readonly Change[],
  more: Partial<CreateSinkOptions> = {},
): Promise<FlushReport> {
  const sink = await createSink({ table, ...more })
  for (const change of changes) await sink.write(change)
  return await sink.close()
}

import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { WriteBatch } from '../../src/connector/batch.ts'
import type { OpenContext, SinkWriter } from '../../src/connector/connector.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { stringifyRow } from '../../src/row/json-value.ts'
import type { Row } from '../../src/row/row.ts'

export class FilesystemWriter implements SinkWriter {
  readonly server = 'filesystem'
  readonly #tables: readonly TablePlan[]
  readonly #file: FileHandle
  /** Bytes that are known to be whole batches. */
  #size: number

  static async open({ tables }: OpenContext): Promise<FilesystemWriter> {
    const path = String(tables[0]?.connectorOptions['path'])
    await mkdir(dirname(path), { recursive: true })
    const file = await open(path, 'a', 0o600)
    const { size } = await file.stat()
    return new FilesystemWriter(tables, file, size)
  }

  private constructor(tables: readonly TablePlan[], file: FileHandle, size: number) {
    this.#tables = tables
    this.#file = file
    this.#size = size
  }

  async write(batch: WriteBatch): ReturnType<SinkWriter['write']> {
    const lines = batch.tables.map(({ table, waves }) => {
      const { schema } = this.#tables[table] as TablePlan
      return waves.flat().map(({ row }) => `${stringifyRow(schema, row as Row)}\n`)
    })
    const text = Buffer.from(lines.flat().join(''))
    try {
      await this.#file.appendFile(text)
      await this.#file.datasync()
    } catch (error) {
      // a retry must not leave half a line or the same rows twice
      await this.#file.truncate(this.#size).catch(() => {})
      throw error
    }
    this.#size += text.byteLength
    return { tables: lines.map((ofTable) => ({ written: ofTable.length, stale: 0 })) }
  }

  async close(): Promise<void> {
    await this.#file.close().catch(() => {})
  }
}

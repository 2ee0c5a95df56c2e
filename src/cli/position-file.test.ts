import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from './command-line.test-support.ts'
import { PositionFile } from './position-file.ts'

const of = (path: string) => ({ path, input: 'a.ndjson#12', tables: ['orders'] })

test('R1 a position that was kept is there for the next run, and no half-written file is left', async () => {
  const at = folderWith({})
  const file = await PositionFile.open(of(at('p.json')))
  expect([...file.lines]).toEqual([])
  file.advance(new Map([['a.ndjson#12', 3]]))
  await file.finish(new Map<string, number>([['a.ndjson#12', 7]]))
  const again = await PositionFile.open(of(at('p.json')))
  expect([...again.lines]).toEqual([['a.ndjson#12', 7]])
  expect(readdirSync(dirname(at('p.json')))).toEqual(['p.json'])
})

test('a partition that says nothing in this run keeps its line', async () => {
  const at = folderWith({})
  const first = await PositionFile.open(of(at('p.json')))
  await first.finish(new Map([['a.ndjson#12/0', 3]]))
  const second = await PositionFile.open(of(at('p.json')))
  await second.finish(new Map([['a.ndjson#12/1', 5]]))
  expect(JSON.parse(readFileSync(at('p.json'), 'utf8'))).toEqual({
    tidegate: 1,
    input: 'a.ndjson#12',
    tables: ['orders'],
    lines: { 'a.ndjson#12/0': 3, 'a.ndjson#12/1': 5 },
  })
})

test('the position of another input, of other tables, or something else is refused', async () => {
  const at = folderWith({ 'x.json': '{"tidegate":2}' })
  const file = await PositionFile.open(of(at('p.json')))
  await file.finish(new Map([['a.ndjson#12', 1]]))
  const refused = { code: 'STATE_INVALID' }
  await expect(PositionFile.open({ ...of(at('p.json')), input: 'b.ndjson#34' })).rejects.toMatchObject(refused)
  await expect(PositionFile.open({ ...of(at('p.json')), tables: ['lines'] })).rejects.toMatchObject(refused)
  await expect(PositionFile.open(of(at('x.json')))).rejects.toMatchObject(refused)
  writeFileSync(at('p.json'), '{"tidegate":1,')
  await expect(PositionFile.open(of(at('p.json')))).rejects.toMatchObject(refused)
})

test('a file that cannot be written is told of at the end', async () => {
  const at = folderWith({})
  const file = await PositionFile.open(of(at('folder/p.json')))
  writeFileSync(at('folder'), '')
  await expect(file.finish(new Map([['a', 1]]))).rejects.toMatchObject({ code: 'STATE_INVALID' })
})

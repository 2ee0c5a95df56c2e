import { describe, expect, test } from 'vitest'
import { parseScript } from './parse-script.ts'
import { pickTable, sinkTables } from './pick-table.ts'

const tables = 'CREATE TABLE src (a INT); CREATE TABLE db.orders (a INT); CREATE TABLE orders_copy (a INT);'

describe('the table to write into is', () => {
  test('the only one', () => {
    expect(pickTable(parseScript('CREATE TABLE t (a INT)')).name).toBe('t')
  })

  test('the one that is named, with or without its database', () => {
    const script = parseScript(tables)
    expect(pickTable(script, 'src').name).toBe('src')
    expect(pickTable(script, 'orders').path).toEqual(['db', 'orders'])
    expect(pickTable(script, 'db.orders').path).toEqual(['db', 'orders'])
    expect(pickTable(script, 'cat.db.orders').path).toEqual(['db', 'orders'])
  })

  test('the only one that an INSERT names, since the others are its sources', () => {
    const script = parseScript(`${tables} INSERT INTO cat.db.orders SELECT a FROM src`)
    expect(pickTable(script).path).toEqual(['db', 'orders'])
    expect(pickTable(script, 'src').name).toBe('src')
  })
})

describe('there is an error that names the tables', () => {
  test('when several could be meant', () => {
    expect(() => pickTable(parseScript(tables))).toThrow(
      'the DDL holds several tables: src, db.orders, orders_copy; name the one to write into',
    )
  })

  test('when none has the name', () => {
    expect(() => pickTable(parseScript(tables), 'order_copy')).toThrow(
      'the DDL holds no table order_copy: did you mean orders_copy?',
    )
    expect(() => pickTable(parseScript(tables), 'x')).toThrow('there are src, db.orders, orders_copy')
  })

  test('when several INSERTs name different tables: only those are offered', () => {
    const script = parseScript(`${tables} INSERT INTO orders SELECT 1; INSERT INTO orders_copy SELECT 1`)
    expect(() => pickTable(script)).toThrow('several tables: db.orders, orders_copy; name')
  })

  test('when there is no table', () => {
    expect(() => pickTable(parseScript('SELECT 1'))).toThrow('the DDL holds no CREATE TABLE')
  })
})

test('the sinks of a script are the targets of its INSERTs, or all tables', () => {
  const names = (sql: string) => sinkTables(parseScript(sql)).map(({ name }) => name)
  expect(names(tables)).toEqual(['src', 'orders', 'orders_copy'])
  expect(names(`${tables} INSERT INTO orders_copy SELECT 1; INSERT INTO orders SELECT 1`)).toEqual([
    'orders',
    'orders_copy',
  ])
  expect(names('CREATE TABLE t (a INT); INSERT INTO elsewhere SELECT 1')).toEqual(['t'])
})

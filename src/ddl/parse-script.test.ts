import { describe, expect, test } from 'vitest'
import { must } from '../assert.ts'
import { formatDataType } from '../row/data-type.ts'
import { parseScript } from './parse-script.ts'
import type { TableDefinition } from './table-definition.ts'

/** The only table of a script. */
function tableOf(sql: string): TableDefinition {
  const { tables } = parseScript(sql)
  expect(tables).toHaveLength(1)
  return must(tables[0], 'there is a table')
}

/** `name TYPE [NOT NULL]` for each column. */
function columnsOf(table: TableDefinition): string[] {
  return table.schema.columns.map(
    ({ name, type, nullable }) => `${name} ${formatDataType(type)}${nullable ? '' : ' NOT NULL'}`,
  )
}

function keyOf({ schema }: TableDefinition): (string | undefined)[] {
  return schema.primaryKey.map((position) => schema.columns[position]?.name)
}

describe('CREATE TABLE', () => {
  test('the table of the README is read', () => {
    const table = tableOf(`CREATE TABLE orders (
      order_id BIGINT, status STRING, amount DECIMAL(12,2), attr STRING, order_ts BIGINT, attr_ts BIGINT,
      PRIMARY KEY (order_id) NOT ENFORCED
    ) WITH (
      'connector' = 'postgres', 'url' = 'postgres://h/db', 'table-name' = 'orders',
      'fields.order_ts.sequence-group' = 'status,amount'
    )`)
    expect(table.name).toBe('orders')
    expect(columnsOf(table)).toEqual([
      'order_id BIGINT NOT NULL',
      'status STRING',
      'amount DECIMAL(12, 2)',
      'attr STRING',
      'order_ts BIGINT',
      'attr_ts BIGINT',
    ])
    expect(keyOf(table)).toEqual(['order_id'])
    expect({ ...table.options }).toEqual({
      connector: 'postgres',
      url: 'postgres://h/db',
      'table-name': 'orders',
      'fields.order_ts.sequence-group': 'status,amount',
    })
  })

  test('a table of a Flink job is read with everything that it may hold', () => {
    const table = tableOf(`
      /* from a job */
      CREATE TEMPORARY TABLE IF NOT EXISTS \`my catalog\`.db."enriched ""orders""" (
        \`order\` BIGINT NOT NULL COMMENT 'the key',  // a comment
        note VARCHAR(20) NULL,                       -- another
        details ROW<sku STRING 'stock unit', qty INT COMMENT 'how many', \`a b\` ARRAY<DOUBLE PRECISION>>,
        labels MAP<STRING, ARRAY<INT>> NOT NULL,
        total AS qty * price + coalesce(bonus, 0),
        kafka_ts TIMESTAMP(3) WITH LOCAL TIME ZONE METADATA FROM 'timestamp' VIRTUAL,
        topic STRING METADATA,
        ts TIMESTAMP(3),
        CONSTRAINT pk PRIMARY KEY (\`order\`, ts) NOT ENFORCED,
        WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
      )
      COMMENT 'orders with what belongs to them'
      PARTITIONED BY (ts)
      WITH ('connector' = 'jdbc', 'note' = 'it''s; -- not a comment');
    `)
    expect(table.path).toEqual(['my catalog', 'db', 'enriched "orders"'])
    expect(columnsOf(table)).toEqual([
      'order BIGINT NOT NULL',
      'note VARCHAR(20)',
      'details ROW<`sku` STRING, `qty` INT, `a b` ARRAY<DOUBLE>>',
      'labels MAP<STRING, ARRAY<INT>> NOT NULL',
      'ts TIMESTAMP(3) NOT NULL',
    ])
    expect(table.schema.columns[0]?.comment).toBe('the key')
    expect(keyOf(table)).toEqual(['order', 'ts'])
    expect(table.notWritten).toEqual([
      { name: 'total', reason: 'is computed' },
      { name: 'kafka_ts', reason: 'is a METADATA column' },
      { name: 'topic', reason: 'is a METADATA column' },
    ])
    expect(table.notes).toEqual([
      'WATERMARK FOR ts is not used here',
      'PARTITIONED BY is not used here: the store places the rows',
    ])
    expect(table.partitionedBy).toEqual(['ts'])
    expect(table.comment).toBe('orders with what belongs to them')
    expect(table.options['note']).toBe("it's; -- not a comment")
  })

  test('a primary key may stand with its column', () => {
    expect(keyOf(tableOf('CREATE TABLE t (a INT, id BIGINT PRIMARY KEY NOT ENFORCED)'))).toEqual(['id'])
    expect(keyOf(tableOf('CREATE TABLE t (id BIGINT CONSTRAINT pk PRIMARY KEY NOT ENFORCED NOT NULL, a INT)'))).toEqual(
      ['id'],
    )
  })

  test('the order of the key is that of its clause', () => {
    expect(keyOf(tableOf('CREATE TABLE t (a INT, b INT, PRIMARY KEY (b, a) NOT ENFORCED)'))).toEqual(['b', 'a'])
  })

  test('a table without a key is one to append to', () => {
    expect(keyOf(tableOf("CREATE TABLE t (a INT) WITH ('connector' = 'print')"))).toEqual([])
  })

  test('keywords are names where the grammar leaves no doubt', () => {
    const names =
      'comment, primary, watermark, constraint, metadata, value, date, timestamp, key, set, end, select, with'
    const columns = names.split(', ').map((name) => `${name} INT`)
    expect(columnsOf(tableOf(`CREATE TABLE t (${columns.join(', ')})`))).toEqual(columns)
    expect(tableOf('CREATE TABLE options (a INT)').name).toBe('options')
  })

  test('names may be of any script', () => {
    expect(columnsOf(tableOf('CREATE TABLE größe (名前 STRING, `\u{1f30a}` INT, é$1 INT)'))).toEqual([
      '名前 STRING',
      '\u{1f30a} INT',
      'é$1 INT',
    ])
  })

  test('a column or an option may be called __proto__', () => {
    const table = tableOf(
      "CREATE TABLE t (__proto__ INT, PRIMARY KEY (__proto__) NOT ENFORCED) WITH ('__proto__' = 'x')",
    )
    expect(keyOf(table)).toEqual(['__proto__'])
    expect(Object.entries(table.options)).toEqual([['__proto__', 'x']])
  })

  test('clauses without effect are noted, UNIQUE and DISTRIBUTED too', () => {
    const table = tableOf(`CREATE TABLE t (
      a INT UNIQUE, b ARRAY<INT NOT NULL>, UNIQUE (a, b) NOT ENFORCED
    ) DISTRIBUTED BY HASH(a) INTO 4 BUCKETS`)
    expect(table.notes).toEqual([
      'UNIQUE is not used here: the store checks it',
      'NOT NULL inside the type of b is not checked',
      'UNIQUE is not used here: the store checks it',
      'DISTRIBUTED is not used here: the store places the rows',
    ])
    expect(tableOf('CREATE TABLE t (a INT) DISTRIBUTED INTO 3 BUCKETS').notes).toHaveLength(1)
  })

  test('escaped code points of a text are read', () => {
    const table = tableOf("CREATE TABLE t (a INT) WITH ('d' = U&'\\0041\\\\\\+01F30A', 'e' = u&'')")
    expect({ ...table.options }).toEqual({ d: 'A\\\u{1f30a}', e: '' })
  })

  test('a text may run over lines, and line ends may be CRLF behind a BOM', () => {
    const sql = "\ufeffCREATE TABLE t (\r\n  a INT\r\n) -- x\r\nWITH ('k' = 'a\r\nb')\r\n"
    expect(tableOf(sql).options['k']).toBe('a\r\nb')
  })

  test('computed columns end where their expression does', () => {
    const table = tableOf(`CREATE TABLE t (
      a AS f(1, (2), ARRAY[3, 4]), b AS CASE WHEN x = ',' THEN ')' ELSE "y" END COMMENT 'c', c AS PROCTIME(), d INT
    )`)
    expect(table.notWritten.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(columnsOf(table)).toEqual(['d INT'])
  })
})

describe('a script', () => {
  test('holds several tables, inserts and settings', () => {
    const script = parseScript(`
      SET 'table.exec.state.ttl' = '1 h';
      CREATE TABLE source (id BIGINT) WITH ('connector' = 'datagen');
      CREATE TABLE a (id BIGINT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'x');
      CREATE TABLE b (id BIGINT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'x');
      INSERT INTO a SELECT id FROM source ON CONFLICT DO NOTHING;
      INSERT INTO db.b VALUES (1), (2);
    `)
    expect(script.tables.map(({ name, onConflict }) => [name, onConflict])).toEqual([
      ['source', undefined],
      ['a', 'nothing'],
      ['b', undefined],
    ])
    expect(script.inserts).toEqual([
      { target: ['a'], onConflict: 'nothing' },
      { target: ['db', 'b'], onConflict: undefined },
    ])
    expect({ ...script.settings }).toEqual({ 'table.exec.state.ttl': '1 h' })
    expect(script.tables[0]?.settings).toBe(script.settings)
  })

  test.each(['ERROR', 'NOTHING', 'deduplicate'])('ON CONFLICT DO %s is read', (policy) => {
    const script = parseScript(`CREATE TABLE t (a INT); INSERT INTO t SELECT 1 ON CONFLICT DO ${policy}`)
    expect(script.tables[0]?.onConflict).toBe(policy.toLowerCase())
  })

  test('the query of an INSERT is skipped, whatever stands in it', () => {
    const script = parseScript(`
      CREATE TABLE t (a INT);
      INSERT INTO t (a, b) /*+ no option */ WITH q AS (
        SELECT 'INSERT INTO x; CREATE' AS a, "ON CONFLICT DO ERROR" -- ON CONFLICT DO ERROR;
        FROM s /* ; INSERT INTO y */ JOIN r ON s.id = r.id AND s.conflict = r.on
        WHERE INSERT('abc', 1, 2, 'x') = 'it''s' AND (a <> 1 OR b <= 2) AND c LIKE '%;%'
      ) SELECT a[1], count(*)/2, CAST(b AS MAP<STRING, ARRAY<INT>>) FROM q
      ON CONFLICT DO DEDUPLICATE;
      SET 'k' = 'v';
    `)
    expect(script.inserts).toEqual([{ target: ['t'], onConflict: 'deduplicate' }])
    expect({ ...script.settings }).toEqual({ k: 'v' })
  })

  test.each([
    ['BEGIN STATEMENT SET; INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;'],
    ['EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END'],
    ['EXECUTE STATEMENT SET\nBEGIN\n  INSERT INTO a SELECT 1 ON CONFLICT DO ERROR;\n  INSERT INTO b SELECT 2;\nEND;'],
    ['STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;'],
    ['EXPLAIN CHANGELOG_MODE INSERT INTO a SELECT 1; EXECUTE INSERT INTO b SELECT 2'],
    ["COMPILE PLAN 'file:///p.json' FOR INSERT INTO a SELECT 1; INSERT INTO b SELECT 2"],
  ])('statement sets and what else wraps an INSERT are taken apart: %j', (wrapped) => {
    const script = parseScript(`CREATE TABLE a (x INT); CREATE TABLE b (x INT); ${wrapped}`)
    expect(script.inserts.map(({ target }) => target.join('.'))).toEqual(['a', 'b'])
    expect(script.notes).toEqual([])
  })

  test('settings are read with quotes and without, the last one wins, and RESET takes them back', () => {
    const script = parseScript(`
      SET 'a.b' = 'c';
      SET table.exec.mini-batch.allow-latency = 5 s;
      SET table.exec.mini-batch.size=5000;
      SET
        'late' =
        'x';
      SET gone = 1;
      RESET gone;
      SET 'a.b' = 'd';
      SET;
    `)
    expect({ ...script.settings }).toEqual({
      'a.b': 'd',
      'table.exec.mini-batch.allow-latency': '5 s',
      'table.exec.mini-batch.size': '5000',
      late: 'x',
    })
    expect({ ...parseScript("SET 'a' = 'b'; RESET;").settings }).toEqual({})
  })

  test('a ; may be missing where the end of a statement is plain', () => {
    const script = parseScript(`
      SET 'a' = 'b'
      SET c = d
      CREATE TABLE t (x INT) WITH ('k' = 'v')
      INSERT INTO t SELECT 1 FROM s
      CREATE TABLE u (x INT)
      INSERT INTO u SELECT 2 ON CONFLICT DO ERROR
      SET 'e' = 'f'
    `)
    expect({ ...script.settings }).toEqual({ a: 'b', c: 'd', e: 'f' })
    expect(script.tables.map(({ name }) => name)).toEqual(['t', 'u'])
    expect(script.inserts).toHaveLength(2)
  })

  test('other statements are accepted and noted', () => {
    const script = parseScript(`
      CREATE CATALOG c WITH ('type' = 'generic_in_memory');
      USE CATALOG c;
      CREATE DATABASE IF NOT EXISTS d;
      DROP TABLE IF EXISTS t;
      CREATE TABLE t (x INT);
      CREATE TEMPORARY VIEW v AS SELECT * FROM t WHERE x IN (1, 2);
      CREATE TEMPORARY SYSTEM FUNCTION f AS 'org.x.F' LANGUAGE JAVA;
      CREATE OR ALTER MATERIALIZED TABLE m FRESHNESS = INTERVAL '3' MINUTE AS SELECT 1;
      SHOW TABLES;
      DESCRIBE t;
      WITH q AS (SELECT 1) SELECT * FROM q;
      UPDATE t SET x = 1;
      ADD JAR '/x.jar';
    `)
    expect(script.notes).toEqual(
      [
        'CREATE CATALOG',
        'USE',
        'CREATE DATABASE',
        'DROP',
        'CREATE VIEW',
        'CREATE FUNCTION',
        'CREATE MATERIALIZED',
        'SHOW',
        'DESCRIBE',
        'WITH',
        'UPDATE',
        'ADD',
      ].map((statement) => `${statement} is not used here`),
    )
  })

  test('an INSERT into a table that is made elsewhere is noted', () => {
    const script = parseScript('CREATE TABLE t (a INT); INSERT INTO other SELECT 1')
    expect(script.notes).toEqual(['INSERT INTO other is not used here: no CREATE TABLE of this text makes the table'])
  })

  test('the options of a hint behind the target of an INSERT win over those of the table', () => {
    const script = parseScript(`
      CREATE TABLE t (a INT) WITH ('connector' = 'x', 'sink.parallelism' = '1');
      INSERT INTO t /*+ OPTIONS('sink.parallelism' = '2') */ SELECT /*+ BROADCAST(s) */ 1 FROM s`)
    const [table] = script.tables
    expect({ ...table?.options }).toEqual({ connector: 'x', 'sink.parallelism': '2' })
    expect(table?.notes).toEqual(['option sink.parallelism comes from the hint of the INSERT'])
  })

  test('INSERT OVERWRITE merges like any other, and says so', () => {
    expect(parseScript('CREATE TABLE t (a INT); INSERT OVERWRITE t SELECT 1').tables[0]?.notes).toEqual([
      'OVERWRITE is not used here: rows are merged into the table',
    ])
  })

  test('a second CREATE TABLE IF NOT EXISTS changes nothing', () => {
    const script = parseScript('CREATE TABLE t (a INT); CREATE TABLE IF NOT EXISTS t (b INT)')
    expect(script.tables.map((table) => columnsOf(table))).toEqual([['a INT']])
    expect(script.notes).toEqual(['CREATE TABLE IF NOT EXISTS t is not used here: the table is created above'])
  })

  test('a text without a statement is a script without tables', () => {
    expect(parseScript(' -- nothing\n;;').tables).toEqual([])
  })
})

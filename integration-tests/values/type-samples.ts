/** A column of some type with values as producers write them in JSON, and how PostgreSQL prints what must be stored. */
export interface TypeSample {
  readonly type: string
  /** JSON text of the value, and the text that the server gives for the column. */
  readonly values: readonly (readonly [json: string, text: string])[]
}

const long = 'ä€😀"\'\\ \t\n'

export const typeSamples: readonly TypeSample[] = [
  {
    type: 'BOOLEAN',
    values: [
      ['true', 'true'],
      ['false', 'false'],
    ],
  },
  {
    type: 'TINYINT',
    values: [
      ['-128', '-128'],
      ['127', '127'],
      ['0', '0'],
    ],
  },
  {
    type: 'SMALLINT',
    values: [
      ['-32768', '-32768'],
      ['32767', '32767'],
      ['0', '0'],
    ],
  },
  {
    type: 'INT',
    values: [
      ['-2147483648', '-2147483648'],
      ['2147483647', '2147483647'],
      ['0', '0'],
    ],
  },
  {
    type: 'BIGINT',
    values: [
      ['-9223372036854775808', '-9223372036854775808'],
      ['9223372036854775807', '9223372036854775807'],
      ['"9007199254740993"', '9007199254740993'],
      ['0', '0'],
    ],
  },
  {
    type: 'FLOAT',
    values: [
      ['-3.4028235e38', '-3.4028235e+38'],
      ['1e-45', '1e-45'],
      ['0.1', '0.1'],
      ['0', '0'],
    ],
  },
  {
    type: 'DOUBLE',
    values: [
      ['-1.7976931348623157e308', '-1.7976931348623157e+308'],
      ['5e-324', '5e-324'],
      ['0.1', '0.1'],
      ['"NaN"', 'NaN'],
      ['"-Infinity"', '-Infinity'],
    ],
  },
  {
    type: 'DECIMAL(38, 10)',
    values: [
      ['-9999999999999999999999999999.9999999999', '-9999999999999999999999999999.9999999999'],
      ['"9999999999999999999999999999.9999999999"', '9999999999999999999999999999.9999999999'],
      ['1.5', '1.5000000000'],
      ['0', '0.0000000000'],
    ],
  },
  {
    type: 'CHAR(3)',
    values: [
      ['"abc"', 'abc'],
      ['"ä€😀"', 'ä€😀'],
      ['"a"', 'a'],
    ],
  },
  {
    type: 'VARCHAR(5)',
    values: [
      ['"abcde"', 'abcde'],
      ['""', ''],
      ['"a  "', 'a  '],
    ],
  },
  {
    type: 'STRING',
    values: [
      [JSON.stringify(long), long],
      ['""', ''],
      ['"NULL"', 'NULL'],
    ],
  },
  {
    type: 'BINARY(3)',
    values: [
      ['"AAEC"', '\\x000102'],
      ['"////"', '\\xffffff'],
    ],
  },
  {
    type: 'BYTES',
    values: [
      ['""', '\\x'],
      ['"AP8="', '\\x00ff'],
    ],
  },
  {
    type: 'DATE',
    values: [
      ['"0001-01-01"', '0001-01-01'],
      ['"9999-12-31"', '9999-12-31'],
      ['"1970-01-01"', '1970-01-01'],
    ],
  },
  {
    type: 'TIME(6)',
    values: [
      ['"00:00:00"', '00:00:00'],
      ['"23:59:59.999999"', '23:59:59.999999'],
    ],
  },
  {
    type: 'TIMESTAMP(6)',
    values: [
      ['"0001-01-01 00:00:00"', '0001-01-01 00:00:00'],
      ['"9999-12-31T23:59:59.999999"', '9999-12-31 23:59:59.999999'],
      // does not exist in zones that change to summer time then
      ['"2025-03-09 02:30:00.000001"', '2025-03-09 02:30:00.000001'],
      ['"1970-01-01 00:00:00"', '1970-01-01 00:00:00'],
    ],
  },
  {
    type: 'TIMESTAMP_LTZ(6)',
    values: [
      ['"0001-01-01T00:00:00Z"', '0001-01-01 00:00:00+00'],
      ['"9999-12-31T23:59:59.999999Z"', '9999-12-31 23:59:59.999999+00'],
      ['"2025-11-02T01:30:00.123456-02:30"', '2025-11-02 04:00:00.123456+00'],
      ['"1970-01-01T00:00:00Z"', '1970-01-01 00:00:00+00'],
    ],
  },
  {
    type: 'ARRAY<INT>',
    values: [
      ['[]', '{}'],
      ['[-2147483648, null, 2147483647]', '{-2147483648,NULL,2147483647}'],
    ],
  },
  { type: 'ARRAY<STRING>', values: [['["a,b", "", null, "NULL", "q\\"\\\\"]', '{"a,b","",NULL,"NULL","q\\"\\\\"}']] },
  { type: 'ARRAY<ARRAY<INT>>', values: [['[[1, 2], [], null]', '[[1, 2], [], null]']] },
  {
    type: 'MAP<STRING, BIGINT>',
    values: [
      ['{}', '{}'],
      // whoever reads the JSON must not round it
      ['{"a": 9223372036854775807}', '{"a": "9223372036854775807"}'],
    ],
  },
  { type: 'ROW<a INT, b STRING>', values: [['{"a": 1, "b": null}', '{"a": 1, "b": null}']] },
  {
    type: 'JSON',
    values: [
      ['[1, {"a": null}]', '[1, {"a": null}]'],
      ['"\\"text\\""', '"text"'],
    ],
  },
  {
    type: 'UUID',
    values: [
      ['"00000000-0000-0000-0000-000000000000"', '00000000-0000-0000-0000-000000000000'],
      ['"FFFFFFFF-ffff-FFFF-ffff-FFFFFFFFFFFF"', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    ],
  },
]

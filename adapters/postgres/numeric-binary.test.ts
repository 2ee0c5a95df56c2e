import Big from 'big.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numericRoom, writeNumeric } from './numeric-binary.ts'

/** As numeric_out reads the binary form. */
function readNumeric(buffer: Buffer): string {
  const count = buffer.readInt16BE(0)
  const weight = buffer.readInt16BE(2)
  const negative = buffer.readUInt16BE(4) === 0x4000
  const scale = buffer.readInt16BE(6)
  let value = Big(0)
  for (let index = 0; index < count; index++) {
    value = value.plus(Big(buffer.readInt16BE(8 + index * 2)).times(Big(10).pow((weight - index) * 4)))
  }
  return `${negative ? '-' : ''}${value.toFixed(scale)}`
}

function write(text: string): Buffer {
  const buffer = Buffer.alloc(numericRoom(text.length))
  const end = writeNumeric(new DataView(buffer.buffer, buffer.byteOffset, buffer.length), 0, text)
  return buffer.subarray(0, end)
}

test('known forms', () => {
  expect(write('0').toString('hex')).toBe('0000000000000000')
  expect(write('0.00').toString('hex')).toBe('0000000000000002')
  expect(write('1').toString('hex')).toBe('00010000000000000001')
  expect(write('-12345.6').toString('hex')).toBe('00030001400000010001' + '0929' + '1770')
  expect(write('10000').toString('hex')).toBe('00010001000000000001')
  expect(write('0.0001').toString('hex')).toBe('0001ffff000000040001')
})

test('every decimal of up to 38 digits comes back as it was', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
      fc.integer({ min: 0, max: 38 }),
      (unscaled, scale) => {
        const text = Big(unscaled.toString()).times(Big(10).pow(-scale)).toFixed(scale)
        const canonical = /^-0\.?0*$/.test(text) ? text.slice(1) : text
        expect(readNumeric(write(canonical))).toBe(canonical)
      },
    ),
  )
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maskSecrets, maskUrls } from './mask-secrets.ts'

const open = { secret: false }
const secret = { secret: true }

describe('C2 what is printed of a value', () => {
  test.each([
    ['postgres://ada:hunter2@db.example:5432/shop', 'postgres://******@db.example:5432/shop'],
    ['jdbc:postgresql://ada:hun/ter2@h/db', 'jdbc:postgresql://******@h/db'],
    ['https://ada@h, https://bob:x@i', 'https://******@h, https://******@i'],
    ['https://ada:x@h,https://bob:x@i', 'https://******@i'],
    ['x://h/db?user=ada&password=hunter2&ssl=true', 'x://h/db?user=******&password=******&ssl=true'],
    ['host=h password=hunter2 dbname=x', 'host=h password=****** dbname=x'],
    ['Server=h;Pwd=hunter2;Database=x', 'Server=h;Pwd=******;Database=x'],
    ['h:9200?api_key=abc', 'h:9200?api_key=******'],
    ['postgres://h/db', 'postgres://h/db'],
    ['pglite:./dir', 'pglite:./dir'],
    ['2s', '2s'],
  ])('%j', (written, shown) => {
    expect(maskSecrets(open, written)).toBe(shown)
  })

  test('nothing of a secret, a reference as it is written', () => {
    expect(maskSecrets(secret, 'hunter2')).toBe('******')
    expect(maskSecrets(secret, `\${env:PASSWORD}`)).toBe(`\${env:PASSWORD}`)
    expect(maskSecrets(secret, `x://u:hunter2@\${env:HOST}`)).not.toContain('hunter2')
    expect(maskSecrets(secret, `hunter2\${env:HOST}`)).not.toContain('hunter2')
  })
})

test('C2 no password of a URL gets through, whatever is in it', () => {
  const password = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => /\S/.test(text) && !/\s/.test(text))
  fc.assert(
    fc.property(password, (text) => {
      expect(maskUrls(`scheme://user:${text}S3CR3T@host/db`)).not.toContain('S3CR3T')
    }),
  )
})

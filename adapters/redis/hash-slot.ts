/** Slots of a cluster; a call may only name keys of one. */
export const slotCount = 16384

/** The slot of a key: CRC16 (XMODEM) of its hash tag, or of all of it (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/). */
export function hashSlot(key: string): number {
  const bytes = Buffer.from(hashTag(key))
  let crc = 0
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ (table[((crc >> 8) ^ byte) & 0xff] as number)
  return crc % slotCount
}

/** What stands in the first pair of braces, if anything does. */
function hashTag(key: string): string {
  const open = key.indexOf('{')
  if (open < 0) return key
  const close = key.indexOf('}', open + 1)
  return close <= open + 1 ? key : key.slice(open + 1, close)
}

const table = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  return crc
})

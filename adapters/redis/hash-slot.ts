/**
 * Hash slot of a key in a cluster: CRC16 (XMODEM) of the key, or of what stands between the first `{` and the next `}` if
 * that is not empty, modulo 16384 (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/).
 */
export function hashSlot(key: string): number {
  const open = key.indexOf('{')
  const close = open < 0 ? -1 : key.indexOf('}', open + 1)
  const hashed = close > open + 1 ? key.slice(open + 1, close) : key
  let crc = 0
  for (const byte of Buffer.from(hashed)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
    crc &= 0xffff
  }
  return crc % 16_384
}

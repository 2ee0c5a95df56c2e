import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the range from which the kernel takes ports for outgoing connections: those would collide now and then. */
const range = { from: 20_000, to: 32_000 }

/** A port of the loopback interface that nobody listens on. Another process may still take it first: retry a failed start. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(range.from, range.to)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port between ${range.from} and ${range.to}`)
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)))
  })
}

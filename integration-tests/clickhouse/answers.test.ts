import { connect, createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { openConnection } from '../../adapters/clickhouse/client.ts'
import { options } from '../../adapters/clickhouse/options.ts'
import { resolveOptions } from '../../src/options/resolve-options.ts'
import { freePort } from '../services/free-port.ts'
import { describeStore } from '../stores.ts'

const open = async (url: string) => await openConnection(undefined, resolveOptions(options, { url }).values)

/** 30 MB, so that the server would have sent a part of them before it comes to the bad one. */
const failsLate =
  "SELECT toString(number), repeat('x', 100), toString(throwIf(number = 290000, 'late')) FROM numbers(300000)"

for (const store of ['clickhouse', 'clickhouse-url'] as const) {
  describeStore(store, 'answers that break off', ({ clickhouse: server }) => {
    if (server === undefined) return
    const proxies: Server[] = []
    afterEach(() => {
      for (const proxy of proxies.splice(0)) proxy.close()
    })

    /** Passes so many bytes of the server's answers, and cuts the connection. */
    const cutAfter = async (bytes: number): Promise<string> => {
      const { port: serverPort } = new URL(server.url)
      const proxy = createServer((client) => {
        const upstream = connect(Number(serverPort), '127.0.0.1')
        let left = bytes
        client.on('error', () => {}).pipe(upstream)
        upstream.on('error', () => {})
        upstream.on('close', () => client.destroy())
        upstream.on('data', (chunk) => {
          const passed = chunk.subarray(0, left)
          left -= passed.length
          client.write(passed, () => {
            if (left > 0) return
            client.destroy()
            upstream.destroy()
          })
        })
      })
      const port = await freePort()
      await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
      proxies.push(proxy)
      return `http://127.0.0.1:${port}`
    }

    test('R2 a read that fails after rows were made ends with what the server says', async () => {
      const connection = await open(server.url)
      await expect(connection.rows(failsLate)).rejects.toMatchObject({ code: 395, failure: 'row' })
      await connection.close()
    })

    test('R2 an insert that fails after rows were read ends with what the server says', async () => {
      const connection = await open(server.url)
      const statement = `INSERT INTO FUNCTION null('a String, b String, c String') ${failsLate}`
      await expect(connection.run(statement)).rejects.toMatchObject({ code: 395, failure: 'row' })
      await connection.close()
    })

    test.each([600, 100_000])('R2 a read whose answer is cut off after %i bytes is no read', async (bytes) => {
      const connection = await open(await cutAfter(bytes))
      const reading = connection.rows("SELECT toString(number), repeat('x', 100) FROM numbers(10000)")
      await expect(reading).rejects.toMatchObject({ failure: 'unknown-outcome' })
      await connection.close()
    })
  })
}

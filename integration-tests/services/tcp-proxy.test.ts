import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { freePort } from './free-port.ts'
import { startTcpProxy } from './tcp-proxy.ts'

test('the proxy passes both ways, loses an answer, resets before a request and swallows what it is frozen on', async () => {
  const { server, port, received } = await startEcho()
  await using proxy = await startTcpProxy(port)

  const plain = await dial(proxy.port)
  plain.write('hello')
  expect(await read(plain)).toBe('echo hello')

  const lost = proxy.loseAnswer('COMMIT', 'echo COMMIT')
  const failed = once(plain, 'error')
  plain.write('COMMIT')
  await lost
  expect(((await failed) as [NodeJS.ErrnoException])[0].code).toBe('ECONNRESET')
  expect(received).toEqual(['hello', 'COMMIT'])

  const refused = await dial(proxy.port)
  const reset = proxy.resetBefore('COMMIT')
  const broken = once(refused, 'error')
  refused.write('COMMIT again')
  await reset
  await broken
  expect(received).toHaveLength(2)

  const silent = await dial(proxy.port)
  silent.write('awake')
  expect(await read(silent)).toBe('echo awake')
  const frozen = proxy.freezeBefore('anyone')
  silent.write('anyone?')
  await frozen
  const answer = read(silent)
  expect(await Promise.race([answer, delay(300, 'nothing')])).toBe('nothing')
  const other = await dial(proxy.port)
  other.write('new')
  expect(await read(other)).toBe('echo new')
  proxy.thaw()
  expect(await answer).toBe('echo anyone?')
  expect(proxy.connectionCount).toBe(4)
  await proxy.close()
  await new Promise((resolve) => server.close(resolve))
})

async function startEcho(): Promise<{ server: Server; port: number; received: string[] }> {
  const received: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received.push(chunk.toString())
      socket.write(`echo ${chunk.toString()}`)
    })
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { server, port, received }
}

async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  // the proxy resets what is open when it closes
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

async function read(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return chunk.toString()
}

import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

/** Stands between a client and its server on a loopback port, and does to their connections what a bad network does. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** `url` with the proxy in place of the server. */
  via(url: string): string
  /** Connections accepted so far. */
  readonly connectionCount: number
  /**
   * Of the next client bytes that hold `request`: they reach the server, every answer to them is kept from the client,
   * and once `answer` is among these the connection is reset. Resolves then.
   */
  loseAnswer(request: string, answer: string): Promise<void>
  /** Resets the connection on which the next client bytes with `request` come, before they reach the server. */
  resetBefore(request: string): Promise<void>
  /**
   * A black hole: before the next client bytes with `request` reach the server, every connection there is stays open and
   * nothing passes any more. New ones work. Resolves then.
   */
  freezeBefore(request: string): Promise<void>
  /** What the black hole kept goes on its way. */
  thaw(): void
  close(): Promise<void>
}

export async function startTcpProxy(serverPort: number): Promise<TcpProxy> {
  const links = new Set<Link>()
  let fault: Fault | undefined
  let connectionCount = 0
  const freezeAll = (): void => {
    for (const link of links) link.freeze()
  }
  const server = createServer((client) => {
    connectionCount++
    const link = new Link(client, connect({ port: serverPort, host: '127.0.0.1' }), () => fault, freezeAll)
    links.add(link)
    link.onEnd(() => links.delete(link))
  })
  const port = await freePort()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const arm = async (kind: Fault['kind'], request: string, answer: string): Promise<void> => {
    await new Promise<void>((resolve) => {
      fault = {
        kind,
        request,
        answer,
        done: () => {
          fault = undefined
          resolve()
        },
      }
    })
  }
  const close = async (): Promise<void> => {
    for (const link of links) link.reset()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return {
    port,
    via: (url) => {
      const changed = new URL(url)
      changed.host = `127.0.0.1:${port}`
      return changed.href
    },
    get connectionCount() {
      return connectionCount
    },
    loseAnswer: (request, answer) => arm('lose-answer', request, answer),
    resetBefore: (request) => arm('reset-before', request, ''),
    freezeBefore: (request) => arm('freeze-before', request, ''),
    thaw: () => {
      for (const link of links) link.thaw()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface Fault {
  readonly kind: 'lose-answer' | 'reset-before' | 'freeze-before'
  readonly request: string
  readonly answer: string
  readonly done: () => void
}

/** One connection of a client, with the one to the server that is made for it. */
class Link {
  readonly #client: Socket
  readonly #server: Socket
  /** Set while answers are kept back. */
  #losing: Fault | undefined
  readonly #freezeAll: () => void
  #requestTail = ''
  #answerTail = ''
  /** What came from the client when the connection froze. */
  #kept: Buffer[] = []

  constructor(client: Socket, server: Socket, fault: () => Fault | undefined, freezeAll: () => void) {
    this.#client = client
    this.#server = server
    this.#freezeAll = freezeAll
    client.on('data', (chunk) => this.#fromClient(chunk, fault()))
    server.on('data', (chunk) => this.#fromServer(chunk))
    for (const [one, other] of [[client, server] as const, [server, client] as const]) {
      one.on('end', () => other.end())
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  }

  onEnd(listener: () => void): void {
    this.#client.once('close', listener)
  }

  freeze(): void {
    this.#client.pause()
    this.#server.pause()
  }

  thaw(): void {
    for (const chunk of this.#kept.splice(0)) this.#server.write(chunk)
    this.#client.resume()
    this.#server.resume()
  }

  reset(): void {
    this.#client.resetAndDestroy()
    this.#server.destroy()
  }

  #fromClient(chunk: Buffer, fault: Fault | undefined): void {
    if (fault !== undefined && this.#losing === undefined) {
      const seen = this.#requestTail + chunk.toString('latin1')
      this.#requestTail = seen.slice(-fault.request.length)
      if (seen.includes(fault.request)) {
        if (fault.kind === 'reset-before') {
          this.reset()
          fault.done()
          return
        }
        if (fault.kind === 'freeze-before') {
          this.#kept.push(chunk)
          this.#freezeAll()
          fault.done()
          return
        }
        this.#losing = fault
      }
    }
    this.#server.write(chunk)
  }

  #fromServer(chunk: Buffer): void {
    const fault = this.#losing
    if (fault === undefined) {
      this.#client.write(chunk)
      return
    }
    const seen = this.#answerTail + chunk.toString('latin1')
    this.#answerTail = seen.slice(-fault.answer.length)
    if (!seen.includes(fault.answer)) return
    this.reset()
    fault.done()
  }
}

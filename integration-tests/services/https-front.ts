import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface HttpsFront extends AsyncDisposable {
  readonly port: number
}

export interface HttpsFrontOptions {
  /** The server behind it, which speaks plain HTTP. */
  readonly target: string
  /** PEM files. */
  readonly key: string
  readonly certificate: string
  /** Value of the `authorization` header; a request with another one is answered with 401. */
  readonly authorization?: string | undefined
}

/** HTTPS and a login in front of a server that has neither, as people set up a reverse proxy. */
export async function startHttpsFront({
  target,
  key,
  certificate,
  authorization,
}: HttpsFrontOptions): Promise<HttpsFront> {
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (incoming, outgoing) => {
    if (authorization !== undefined && incoming.headers.authorization !== authorization) {
      incoming.resume()
      const body = JSON.stringify({
        error: { type: 'security_exception', reason: 'missing or wrong credentials' },
        status: 401,
      })
      outgoing.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic' }).end(body)
      return
    }
    const url = new URL(incoming.url ?? '/', target)
    const passed = request(
      url,
      { method: incoming.method, headers: { ...incoming.headers, host: url.host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    passed.on('error', (error) => outgoing.destroy(error))
    incoming.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

import { connect, isIP, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Endpoint } from './options.ts'

/** What the driver is told, so that it encrypts and is sure of the server. `caText`: PEM. */
export function tlsOptions(
  { host, port, tls }: Pick<Endpoint, 'host' | 'port' | 'tls'>,
  caText: string | undefined,
): Readonly<Record<string, unknown>> {
  if (tls === 'off') return {}
  if (tls === 'insecure') return { ssl: { rejectUnauthorized: false } }
  const ca = caText === undefined ? {} : { ca: caText }
  // without verifyIdentity the driver looks at the chain of certificates only
  const ssl: ConnectionOptions & { verifyIdentity: true } = { rejectUnauthorized: true, verifyIdentity: true, ...ca }
  return isIP(host) === 0 ? { ssl } : { ssl, stream: () => socketTo(host, port) }
}

/**
 * For an address the driver names no server to TLS, and then Node asks whether the certificate is one of `localhost`, unless
 * the socket says whom it is connected to. Where that is not looked at, the certificate is refused.
 */
function socketTo(address: string, port: number): Socket {
  const socket = connect(port, address)
  socket.setNoDelay(true)
  socket.on('connect', () => socket.setKeepAlive(true))
  return Object.assign(socket, { _host: address })
}

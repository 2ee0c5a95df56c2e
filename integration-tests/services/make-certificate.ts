import { join } from 'node:path'
import { runCommand } from './run-command.ts'

/** A certificate signed by itself, as PEM files in `folder`. `name`: e.g. `IP:127.0.0.1`. Rejects where openssl is missing. */
export async function makeCertificate(
  folder: string,
  name: string,
): Promise<{ readonly key: string; readonly certificate: string }> {
  const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')]
  await runCommand('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate],
    ...['-subj', '/CN=tidegate test', '-addext', `subjectAltName=${name}`],
  ])
  return { key, certificate }
}

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Problem } from '../errors.ts'
import { thrownMessage } from './thrown-message.ts'

/** Text of the PEM file that `tls.ca-file` names. What is wrong with it goes to `problems`; Node would pass over a file without a certificate. */
export function readCaFile(path: string | undefined, problems: Problem[]): string | undefined {
  if (path === undefined) return undefined
  const fail = (message: string): undefined => {
    problems.push({
      subject: 'tls.ca-file',
      message,
      fix: 'name the PEM file with the certificate of the authority',
    })
    return undefined
  }
  let pem: string
  try {
    pem = readFileSync(path, 'utf8')
  } catch (error) {
    return fail(`cannot be read: ${thrownMessage(error)}`)
  }
  try {
    new X509Certificate(pem)
    return pem
  } catch {
    return fail('holds no certificate in PEM')
  }
}

import type { FailureClass } from './connector.ts'

/** Codes by which Node refuses the certificate of a server, with the text that OpenSSL or Node gives with each. */
const texts = {
  CERT_HAS_EXPIRED: 'certificate has expired',
  CERT_NOT_YET_VALID: 'certificate is not yet valid',
  CERT_REVOKED: 'certificate revoked',
  CERT_UNTRUSTED: 'certificate not trusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: "Hostname/IP does not match certificate's altnames",
  INVALID_CA: 'invalid CA certificate',
  INVALID_PURPOSE: 'unsuitable certificate purpose',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in certificate chain',
  UNABLE_TO_GET_ISSUER_CERT: 'unable to get issuer certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unable to get local issuer certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unable to verify the first certificate',
} as const

/** For the table of an adapter that goes by codes (rule R2): nothing was sent, and no retry will help. */
export const certificateFaults: Readonly<Record<string, FailureClass>> = Object.fromEntries(
  Object.keys(texts).map((code) => [code, 'auth']),
)

/** For drivers that keep the text of an error and lose its code. */
export function tellsCertificateFault(message: string): boolean {
  return Object.values(texts).some((text) => message.includes(text))
}

import type { FailureClass } from '../../src/connector/connector.ts'

/** Node's error codes of file operations (`errno` names of POSIX). */
const classes: Readonly<Record<string, FailureClass>> = {
  EAGAIN: 'transient',
  EBUSY: 'transient',
  EINTR: 'transient',
  EMFILE: 'transient',
  ENFILE: 'transient',
  EDQUOT: 'throttled',
  ENOSPC: 'throttled',
  EACCES: 'auth',
  EPERM: 'auth',
  EROFS: 'auth',
  EISDIR: 'schema',
  ENOENT: 'schema',
  ENOTDIR: 'schema',
}

/** A full disk is waited for; what a path or its rights cause is not mended by time. */
export function classifyFileError(error: unknown): FailureClass {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  return classes[code] ?? 'fatal'
}

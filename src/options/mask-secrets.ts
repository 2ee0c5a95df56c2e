import type { Option } from './option.ts'
import { isReference } from './references.ts'

const masked = '******'

/**
 * The value of an option as it may be printed: nothing of a secret, a reference as it is written, and URLs without the
 * user's name, the password and parameters that hold one. `written` is the text before references are replaced.
 */
export function maskSecrets(option: Pick<Option, 'secret'>, written: string): string {
  if (isReference(written)) return written
  return option.secret ? masked : maskUrls(written)
}

/**
 * Takes user-info and secret parameters out of URLs and connection strings. Rather too much than too little: an
 * unescaped slash or comma may be part of a password.
 */
export function maskUrls(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)\S*@/gi, (_, scheme: string) => `${scheme}${masked}@`)
    .replace(
      /((?:^|[?&;\s])[^=?&;\s]*(?:password|passwd|pwd|secret|token|key|user)[^=?&;\s]*=)[^&;\s]*/gi,
      (_, name: string) => `${name}${masked}`,
    )
}

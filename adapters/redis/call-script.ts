import type { RedisArgument } from './client.ts'
import { RedisFailure } from './failures.ts'
import type { Link } from './link.ts'
import type { Script } from './script.ts'

/** Runs a script by its hash; a server that has not seen it, or has forgotten it, gets its text. All keys are of one slot. */
export async function callScript(
  link: Pick<Link, 'send'>,
  { text, sha }: Script,
  keys: readonly string[],
  args: readonly RedisArgument[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...args]
  try {
    return await link.send(['EVALSHA', sha, ...rest], keys[0])
  } catch (error) {
    if (!(error instanceof RedisFailure) || error.word !== 'NOSCRIPT') throw error
    return await link.send(['EVAL', text, ...rest], keys[0])
  }
}

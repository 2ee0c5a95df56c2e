import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith, runCommandLine } from './command-line.test-support.ts'
import { packageFolder } from './package-folder.ts'

/** Blocks of a page: files by the name behind the language, and commands with what they print. */
interface Page {
  readonly files: Readonly<Record<string, string>>
  readonly commands: readonly { readonly args: readonly string[]; readonly printed: string }[]
}

function readPage(path: string): Page {
  const text = readFileSync(join(packageFolder(), path), 'utf8')
  const files: Record<string, string> = {}
  const commands: { args: readonly string[]; printed: string }[] = []
  for (const [, language, name, body = ''] of text.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)) {
    if (name !== undefined) files[name] = body
    const command = language === 'console' ? /^\$ tidegate (.*)\n([\s\S]*)$/.exec(body) : null
    if (command !== null) commands.push({ args: command[1]?.split(' ') ?? [], printed: command[2] ?? '' })
  }
  return { files, commands }
}

test.each(['docs/quickstart.md', 'README.md'])('the commands of %s print what the page says', async (path) => {
  const { files, commands } = readPage(path)
  const at = folderWith({})
  const folder = dirname(at('any'))
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text)
  expect(commands.length).toBeGreaterThan(0)
  for (const { args, printed } of commands) {
    const { status, stdout } = await runCommandLine(args.map((arg) => (Object.hasOwn(files, arg) ? at(arg) : arg)))
    expect(status).toBe(0)
    expect(stdout.replaceAll(`${folder}/`, '')).toBe(printed)
  }
})

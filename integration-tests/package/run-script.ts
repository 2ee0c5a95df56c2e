import { execFile } from 'node:child_process'
import { projectFolder } from '../build-package.ts'

export interface ScriptResult {
  readonly exitCode: number
  readonly output: string
}

/** Runs a script of package.json and never rejects: the tests check just what a contributor runs by hand. */
export async function runScript(name: string): Promise<ScriptResult> {
  return await new Promise((resolve) => {
    const options = {
      cwd: projectFolder,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
      maxBuffer: 64 * 1024 * 1024,
    }
    execFile('npm', ['run', '--silent', name], options, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}`.trim() })
    })
  })
}

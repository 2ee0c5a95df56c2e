#!/usr/bin/env node
import { createContext } from './command-context.ts'
import { runCli } from './run-cli.ts'

const status = await runCli(process.argv.slice(2), createContext(process))
// nothing that a command has left open may keep the process: all it had to write is written
process.exit(status)

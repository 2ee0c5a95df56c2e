import { type Capabilities, noRule } from '../../src/connector/capabilities.ts'
import type { Connector } from '../../src/connector/connector.ts'
import { formatDataType } from '../../src/row/data-type.ts'
import { classifyFileError } from './failures.ts'
import { filesystemOptions } from './options.ts'
import { FilesystemWriter } from './writer.ts'

/** Appends rows to an NDJSON file. Takes only inserts: a line that has been written cannot be updated (rule K3). */
export const filesystem = {
  name: 'filesystem',
  options: filesystemOptions,
  identity: (options) => String(options['path']),
  capabilities: () => filesystemCapabilities,
  typeMapping: {
    nativeType: formatDataType,
    keyNormalizer: () => undefined,
    sequenceFault: () => 'lines of a file are not compared',
  },
  targetName: ({ connectorOptions }) => String(connectorOptions['path']),
  statements: () => [],
  createTable: () => [],
  open: FilesystemWriter.open,
  classify: classifyFileError,
} satisfies Connector

const filesystemCapabilities: Capabilities = {
  ...noRule,
  exactlyOnce: false,
  outcome: 'none',
  volatile: false,
  tombstoneLife: 'not at all',
}

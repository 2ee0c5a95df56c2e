import { TidegateError } from '../errors.ts'

export interface DriverPackage {
  readonly connector: string
  /** Name on npm. */
  readonly name: string
  /** Version range that the connector is made for, as npm takes it: `^8.23.1`. */
  readonly range: string
}

/**
 * Loads a driver that the user installs beside tidegate (an optional peer dependency). Throws `DRIVER_MISSING` with the
 * npm command when it is not there; a driver that is there and fails to load fails with its own error.
 */
export async function importDriver<Module>(driver: DriverPackage, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error, driver.name)) throw error
    throw new TidegateError(
      `the connector '${driver.connector}' needs the package ${driver.name}, which is not installed`,
      {
        code: 'DRIVER_MISSING',
        connector: driver.connector,
        hint: `npm install '${driver.name}@${driver.range}'`,
        cause: error,
      },
    )
  }
}

/** Another package that the driver itself lacks is the driver's fault, and its message says so. */
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'MODULE_NOT_FOUND') return false
  return error.message.includes(`'${name}'`)
}

import { hasDocker } from '../services/docker-engine.ts'
import { mysqlVersion } from '../services/mysql-database.ts'
import type { MysqlSource } from '../services/mysql-programs.ts'
import { startMysql } from '../services/mysql-server.ts'
import { startOfficialImage } from '../services/official-images.ts'
import type { StoreStart } from './store-start.ts'

export function mysqlStores(): readonly StoreStart[] {
  const url = process.env['TIDEGATE_TEST_MYSQL_URL']
  return [
    { name: 'mariadb', set: 'quick', start: () => ownServer('mariadb', "of Debian's packages") },
    { name: 'mysql-8', set: 'quick', start: () => ownServer('mysql-8', 'of a Maven artifact') },
    { name: 'mysql-9', set: 'all', start: () => ownServer('mysql-9', "of Debian's unstable suite") },
    ...(url === undefined
      ? []
      : [{ name: 'mysql-url' as const, set: 'quick' as const, start: () => namedServer(url) }]),
  ]
}

async function ownServer(source: MysqlSource, origin: string): ReturnType<StoreStart['start']> {
  if (hasDocker()) {
    const { url, image, stop } = await startOfficialImage(source)
    return { status: { version: `${await mysqlVersion(url)} of ${image}`, mysql: { adminUrl: url } }, stop }
  }
  const server = await startMysql(source)
  return { status: { version: `${server.version} ${origin}`, mysql: { adminUrl: server.adminUrl } }, stop: server.stop }
}

async function namedServer(url: string): ReturnType<StoreStart['start']> {
  const version = `${await mysqlVersion(url)} of TIDEGATE_TEST_MYSQL_URL`
  return { status: { version, mysql: { adminUrl: url } }, stop: async () => {} }
}

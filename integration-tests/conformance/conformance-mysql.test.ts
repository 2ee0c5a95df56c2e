import { describeStore, type StoreName } from '../stores.ts'
import { mysqlHarness } from './mysql-harness.ts'
import { runConformance } from './run-conformance.ts'

const servers: readonly StoreName[] = ['mariadb', 'mysql-8', 'mysql-9', 'mysql-url']

for (const name of servers) {
  describeStore(name, 'the mysql connector conforms', ({ mysql }) => {
    if (mysql !== undefined) runConformance(mysqlHarness(mysql))
  })
}

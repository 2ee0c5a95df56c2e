import { describeEachMysql } from '../stores.ts'
import { mysqlHarness } from './mysql-harness.ts'
import { runConformance } from './run-conformance.ts'

describeEachMysql('the mysql connector conforms', (server) => runConformance(mysqlHarness(server)))

import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, test } from 'vitest'
import { agreementCases } from '../../integration-tests/merge-agreement/agreement-cases.ts'
import { type AgreementStore, checkAgreement } from '../../integration-tests/merge-agreement/check-agreement.ts'
import { postgresAgreementStore } from '../../integration-tests/merge-agreement/postgres-agreement-store.ts'

let pglite: PGlite
let store: AgreementStore

beforeAll(async () => {
  pglite = await PGlite.create()
  store = postgresAgreementStore({
    client: pglite,
    url: 'pglite:memory',
    sql: async (text) => (await pglite.query<unknown[]>(text, [], { rowMode: 'array' })).rows,
  })
}, 60_000)

afterAll(async () => {
  await pglite.close()
})

for (const one of agreementCases) {
  test(`A1 ${one.title}: the statements leave what apply makes of the changes`, { timeout: 120_000 }, async () => {
    await checkAgreement(store, one, 15)
  })
}

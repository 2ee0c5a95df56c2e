import { afterAll, test } from 'vitest'
import { askSearch } from '../services/search/search-server.ts'
import { describeEachSearch } from '../stores.ts'
import { agreementCases } from './agreement-cases.ts'
import { checkAgreement } from './check-agreement.ts'
import { searchAgreementStore } from './search-agreement-store.ts'

describeEachSearch('the store holds what apply makes of the changes', (server) => {
  afterAll(async () => {
    await askSearch(
      server.url,
      'DELETE',
      `/${agreementCases.map((_, index) => `agree_${index}`).join(',')}?ignore_unavailable=true`,
    )
  })

  for (const one of agreementCases) {
    test(`A1 ${one.title}`, async () => {
      await checkAgreement(searchAgreementStore(server), one, 15)
    })
  }
})

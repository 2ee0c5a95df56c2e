import { afterAll, test } from 'vitest'
import { conformance } from '../../src/testing/conformance.ts'
import { redisHarness } from '../conformance/redis-harness.ts'
import { describeStore } from '../stores.ts'

/** The suite once more, on rows that are read, merged and put back. */
describeStore('redis', 'rows as JSON', ({ redis }) => {
  if (redis === undefined) return
  const harness = redisHarness(redis, { format: 'json' })
  afterAll(() => harness.dispose())
  for (const { id, title, run } of conformance(harness)) {
    test(`${title} (${id})`, async () => {
      await run()
    })
  }
})

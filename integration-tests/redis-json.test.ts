import { afterAll, test } from 'vitest'
import { conformance } from '../src/testing/conformance.ts'
import { redisHarness } from './conformance/redis-harness.ts'
import { describeStore } from './stores.ts'

describeStore('redis', "'value.format' = 'json' keeps every rule too", ({ redis }) => {
  if (redis === undefined) return
  const harness = redisHarness(redis, { 'value.format': 'json' })
  afterAll(() => harness.dispose())
  for (const { id, title, run } of conformance(harness)) {
    test(`${title} (${id})`, async () => {
      await run()
    })
  }
})

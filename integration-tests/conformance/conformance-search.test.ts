import { describeEachSearch } from '../stores.ts'
import { runConformance } from './run-conformance.ts'
import { searchHarness } from './search-harness.ts'

describeEachSearch('the elasticsearch and opensearch connectors conform', (server) => {
  runConformance(searchHarness(server))
})

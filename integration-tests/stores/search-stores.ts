import { hasDocker } from '../services/docker-engine.ts'
import { startOfficialImage } from '../services/official-images.ts'
import type { SearchRelease } from '../services/search/search-programs.ts'
import { startSearchServer } from '../services/search/search-server.ts'
import type { SearchAccess } from '../stores.ts'
import type { StoreStart } from './store-start.ts'

export function searchStores(): readonly StoreStart[] {
  return [
    { name: 'elasticsearch-9', set: 'quick', start: () => ownServer('elasticsearch-9') },
    { name: 'opensearch-3', set: 'quick', start: () => ownServer('opensearch-3') },
    { name: 'elasticsearch-8', set: 'all', start: () => ownServer('elasticsearch-8') },
    { name: 'opensearch-2', set: 'all', start: () => ownServer('opensearch-2') },
    ...namedServers(),
  ]
}

function namedServers(): readonly StoreStart[] {
  const servers = [
    { name: 'elasticsearch-url', variable: 'TIDEGATE_TEST_ELASTICSEARCH_URL', connector: 'elasticsearch' },
    { name: 'opensearch-url', variable: 'TIDEGATE_TEST_OPENSEARCH_URL', connector: 'opensearch' },
  ] as const
  return servers.flatMap(({ name, variable, connector }): StoreStart[] => {
    const url = process.env[variable]
    if (url === undefined) return []
    const status = { version: `${connector} of ${variable}`, search: { connector, url } }
    return [{ name, set: 'quick', start: async () => ({ status, stop: async () => {} }) }]
  })
}

async function ownServer(release: SearchRelease): ReturnType<StoreStart['start']> {
  if (hasDocker()) {
    const { url, image, stop } = await startOfficialImage(release)
    return { status: { version: image, search: { connector: connectorOf(release), url } }, stop }
  }
  const server = await startSearchServer(release)
  const search = { connector: connectorOf(release), url: server.url }
  return { status: { version: `${server.version} of Maven artifacts`, search }, stop: server.stop }
}

function connectorOf(release: SearchRelease): SearchAccess['connector'] {
  return release.startsWith('elasticsearch') ? 'elasticsearch' : 'opensearch'
}

/**
 * The part of the official clients that is used, as a shape: one request, its answer as a stream. It is the same in
 * @elastic/elasticsearch 8 and 9 and in @opensearch-project/opensearch, so a ready client of each can be handed in.
 */
export interface DriverClient {
  readonly transport: {
    request(
      params: {
        readonly method: string
        readonly path: string
        readonly querystring?: Readonly<Record<string, string>> | undefined
        readonly body?: string | undefined
        readonly bulkBody?: string | undefined
      },
      options: {
        readonly maxRetries: number
        readonly requestTimeout: number
        readonly asStream: true
        readonly meta: true
        readonly headers: Readonly<Record<string, string>>
      },
    ): PromiseLike<unknown>
  }
}

export interface OwnedClient extends DriverClient {
  close(): PromiseLike<unknown>
}

export interface SearchDriver {
  readonly Client: new (options: Readonly<Record<string, unknown>>) => OwnedClient
  /** Where the client takes what concerns TLS. */
  readonly tlsOption: 'tls' | 'ssl'
}

import diagnostics from 'node:diagnostics_channel'
import type { ErrorCode } from '../errors.ts'

/**
 * What happens inside a sink, for logs and metrics. Each event is also published on the diagnostics channel
 * `tidegate:<type>`, which costs nothing without a subscriber. Events hold no row values (rule C2).
 */
export type SinkEvent =
  | {
      readonly type: 'flush'
      readonly connector: string
      readonly trigger: FlushTrigger
      readonly rows: number
      readonly bytes: number
      readonly written: number
      readonly stale: number
      readonly rejected: number
      readonly attempts: number
      readonly durationMs: number
    }
  | {
      readonly type: 'retry'
      readonly connector: string
      readonly attempt: number
      readonly retriesLeft: number
      readonly delayMs: number
      readonly reason: string
    }
  | {
      readonly type: 'rejected'
      readonly table: string
      readonly code: ErrorCode
      readonly reason: string
      readonly record: number | undefined
      /** What the failure handler did with it. */
      readonly handled: 'fail' | 'skip' | 'dead-letter'
    }
  | { readonly type: 'warning'; readonly table: string | undefined; readonly message: string }

export type FlushTrigger = 'rows' | 'bytes' | 'interval' | 'group' | 'pressure' | 'explicit' | 'truncate' | 'close'

export type SinkEventListener = (event: SinkEvent) => void

export function publishEvent(event: SinkEvent, listener: SinkEventListener | undefined): void {
  const channel = diagnostics.channel(`tidegate:${event.type}`)
  if (channel.hasSubscribers) channel.publish(event)
  listener?.(event)
}

/**
 * What became of every change that was accepted (rule R4):
 * accepted = written + folded + stale + ignored + rejected + held.
 */
export interface Account {
  readonly accepted: number
  /** Changes that took effect in the store, or may have where the store cannot tell. */
  readonly written: number
  /** Changes that were reduced into another change of their key before anything was sent. */
  readonly folded: number
  /** Changes older than what the store or the buffer holds. */
  readonly stale: number
  /** Changes dropped by a rule: update-befores whose update-after followed, deletes under an ignore option, replays. */
  readonly ignored: number
  /** Changes handed to the failure handler. */
  readonly rejected: number
  /** Changes in the buffer or under way. */
  readonly held: number
}

/** The counters behind an `Account`; `held` is what remains. */
export class AccountCounters {
  accepted = 0
  written = 0
  folded = 0
  stale = 0
  ignored = 0
  rejected = 0

  snapshot(): Account {
    const { accepted, written, folded, stale, ignored, rejected } = this
    return {
      accepted,
      written,
      folded,
      stale,
      ignored,
      rejected,
      held: accepted - written - folded - stale - ignored - rejected,
    }
  }
}

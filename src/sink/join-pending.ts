/** One promise for those that there are; undefined if there is nothing to wait for. */
export function joinPending(pending: readonly (Promise<void> | undefined)[]): Promise<void> | undefined {
  const some = pending.filter((one) => one !== undefined)
  return some.length === 0 ? undefined : Promise.all(some).then(() => {})
}

/** A service cannot be had on this machine. The message is the exact reason, as the closing report prints it. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable'
}

/**
 * Thrown when this process no longer holds the lease: another one may be running the integration.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

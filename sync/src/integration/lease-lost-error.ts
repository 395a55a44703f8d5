/** Somebody else may be running the integration by now. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLost';
}

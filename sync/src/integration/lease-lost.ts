/** Somebody else may be running the integration by now. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

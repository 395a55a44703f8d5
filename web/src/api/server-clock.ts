/**
 * The server's clock, which every comparison with an instant of the server uses: a browser's clock
 * may be hours wrong.
 */
import { createStore } from '../state/store.ts';

/** The `Date` header has whole seconds, and a response takes its time. */
const toleranceMs = 5_000;

/** How much the browser's clock is behind the server's, in milliseconds; 0 within the tolerance. */
export const clockLag = createStore(0);

/** Returns the server's time in epoch milliseconds. */
export function getServerNow(): number {
  return Date.now() + clockLag.get();
}

/**
 * Reads the clock of the server from a response that no cache has stored.
 *
 * @param date the `Date` header
 * @param sentAtMs when the request was sent, in epoch milliseconds of the browser
 */
export function noteServerDate(date: string | null, sentAtMs: number, receivedAtMs = Date.now()): void {
  const serverMs = date === null ? Number.NaN : Date.parse(date);
  // The clock may be set between a request and its response.
  if (Number.isNaN(serverMs) || receivedAtMs < sentAtMs) return;
  const lagMs = serverMs + 500 - (sentAtMs + receivedAtMs) / 2;
  const uncertaintyMs = toleranceMs + (receivedAtMs - sentAtMs) / 2;
  if (Math.abs(lagMs - clockLag.get()) <= uncertaintyMs) return;
  clockLag.set(Math.abs(lagMs) <= uncertaintyMs ? 0 : lagMs);
}

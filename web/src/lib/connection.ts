import { createStore } from './store.ts';

/**
 * `since` is when the portal was first found not to answer (epoch milliseconds), null while all is
 * well.
 */
export const connectionState = createStore<{ since: number | null }>({ since: null });

const firstRetryMs = 1000;
const longestRetryMs = 15_000;
let probing = false;

/** One place knows whether the portal answers, so that the page says it once. */
export const connection = {
  lost(): void {
    if (connectionState.get().since === null) connectionState.set({ since: Date.now() });
    if (!probing) void probe();
  },
  alive(): void {
    if (connectionState.get().since !== null) connectionState.set({ since: null });
  },
};

// The browser knows of a lost network before any call fails.
if (typeof window !== 'undefined') window.addEventListener('offline', () => connection.lost());

/** Asks for a sign of life, at first every second, then more rarely, until there is one. */
async function probe(): Promise<void> {
  probing = true;
  for (
    let waitMs = firstRetryMs;
    connectionState.get().since !== null;
    waitMs = Math.min(waitMs * 1.6, longestRetryMs)
  ) {
    await new Promise((resume) => setTimeout(resume, waitMs));
    try {
      const answer = await fetch('/healthz', { cache: 'no-store' });
      if (answer.ok) connection.alive();
    } catch {
      // Still away; the loop goes on.
    }
  }
  probing = false;
}

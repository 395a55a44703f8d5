import { createStore } from './store.ts';

/**
 * `since` is when the portal first failed to respond (epoch milliseconds), or null while it is
 * reachable.
 */
export const connectionState = createStore<{ since: number | null }>({ since: null });

const initialRetryMs = 1000;
const maxRetryMs = 15_000;
let isProbing = false;

/**
 * Tracks in one place whether the portal responds, so that the page reports an outage only once.
 */
export const connection = {
  markLost(): void {
    if (connectionState.get().since === null) connectionState.set({ since: Date.now() });
    if (!isProbing) void probe();
  },
  markAlive(): void {
    if (connectionState.get().since !== null) connectionState.set({ since: null });
  },
};

// The browser notices a lost network before any call fails.
if (typeof window !== 'undefined') window.addEventListener('offline', () => connection.markLost());

/** Polls the health endpoint with growing delays until the portal responds. */
async function probe(): Promise<void> {
  isProbing = true;
  for (let waitMs = initialRetryMs; connectionState.get().since !== null; waitMs = Math.min(waitMs * 1.6, maxRetryMs)) {
    await new Promise((resume) => setTimeout(resume, waitMs));
    try {
      const response = await fetch('/healthz', { cache: 'no-store' });
      if (response.ok) connection.markAlive();
    } catch {
      // Still unreachable; try again.
    }
  }
  isProbing = false;
}

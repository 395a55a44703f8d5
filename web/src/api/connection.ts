import { readinessSchema } from '@portal/contract/problem';
import { createStore } from '../state/store.ts';

/**
 * `since` is when the portal first failed to respond (epoch milliseconds), or null while it is
 * reachable.
 */
export const connectionState = createStore<{ since: number | null }>({ since: null });

/** The parts that the portal cannot reach, as it names them: `the sync service`. */
export const unavailableParts = createStore<readonly string[]>([]);

const initialRetryMs = 1000;
const maxRetryMs = 15_000;
let isProbing = false;
let isProbingParts = false;

/**
 * Tracks in one place whether the portal and its parts respond, so that the page reports an outage
 * only once.
 */
export const connection = {
  markLost(): void {
    if (connectionState.get().since === null) connectionState.set({ since: Date.now() });
    if (!isProbing) void probe();
  },
  markAlive(): void {
    if (connectionState.get().since !== null) connectionState.set({ since: null });
  },
  /** Reports a part that a call needed and the portal could not reach. */
  markUnavailable(part: string): void {
    const parts = unavailableParts.get();
    if (!parts.includes(part)) unavailableParts.set([...parts, part]);
    if (!isProbingParts) void probeParts();
  },
};

// The browser notices a lost network before any call fails.
if (typeof window !== 'undefined') window.addEventListener('offline', () => connection.markLost());

/** Returns whether the portal responds to a request now. */
export async function isPortalReachable(signal?: AbortSignal): Promise<boolean> {
  try {
    // A server that knows no such address responds too.
    return (await fetch('/healthz', { cache: 'no-store', signal: signal ?? null })).status < 500;
  } catch {
    return false;
  }
}

/** Polls the health endpoint until the portal responds. */
async function probe(): Promise<void> {
  isProbing = true;
  await repeatWhile(
    () => connectionState.get().since !== null,
    async () => {
      if (await isPortalReachable()) connection.markAlive();
    },
  );
  isProbing = false;
}

/** Polls the readiness endpoint until all parts are available. */
async function probeParts(): Promise<void> {
  isProbingParts = true;
  await repeatWhile(
    () => unavailableParts.get().length > 0,
    async () => {
      const response = await fetch('/readyz', { cache: 'no-store' });
      const readiness = readinessSchema.safeParse(await response.json().catch(() => null));
      // A proxy may not forward this path; then only the next failed call reports a part again.
      unavailableParts.set(readiness.success ? readiness.data.unavailable : []);
    },
  );
  isProbingParts = false;
}

/** Repeats the attempt with growing delays while the condition holds. */
async function repeatWhile(isNeeded: () => boolean, attempt: () => Promise<void>): Promise<void> {
  for (let waitMs = initialRetryMs; isNeeded(); waitMs = Math.min(waitMs * 1.6, maxRetryMs)) {
    await new Promise((resume) => setTimeout(resume, waitMs));
    // Without a response the next attempt follows.
    await attempt().catch(() => undefined);
  }
}

import { inspect } from 'node:util';
import { hideAddresses } from '@portal/kit/hide-addresses';
import { registerShutdown } from '@portal/kit/shutdown';

/** How the whole system stops: on a signal, or because a part failed. */
export interface Lifecycle {
  /** Aborted when the system begins to stop. */
  readonly stopping: AbortSignal;
  /** Registers a part to stop. Parts stop in reverse order of their registration. */
  onShutdown(name: string, stop: () => unknown): void;
  /** Stops the system with exit code 1 and prints the reason on standard error. */
  fail(error: unknown): Promise<void>;
}

export function createLifecycle(): Lifecycle {
  const steps: { name: string; run: () => unknown }[] = [];
  const stopping = new AbortController();
  const announce = (reason: string, failed: boolean) => {
    stopping.abort();
    if (failed) console.error(reason);
  };
  const shutDown = registerShutdown({ steps, timeoutMs: 30_000, announce });
  return {
    stopping: stopping.signal,
    onShutdown: (name, run) => void steps.unshift({ name, run }),
    fail: (error) => shutDown(describeError(error), { failed: true }),
  };
}

/**
 * Returns the message of the error; with LOG_LEVEL=debug, its details too. Of addresses it has only
 * the host.
 */
export function describeError(error: unknown): string {
  const isShort = error instanceof Error && process.env.LOG_LEVEL !== 'debug';
  return hideAddresses(isShort ? error.message : typeof error === 'string' ? error : inspect(error));
}

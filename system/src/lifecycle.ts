import { inspect } from 'node:util';
import { shutDownInOrder } from '@portal/kit/shutdown';

/** How the whole system ends: by a signal, or because one of its parts failed. */
export interface Lifecycle {
  /** Stops a part when the system ends, before the parts that were started earlier. */
  onShutdown(name: string, stop: () => unknown): void;
  /** Ends the system with exit code 1 and the reason on standard error. */
  fail(error: unknown): Promise<void>;
}

export function createLifecycle(): Lifecycle {
  const steps: { name: string; run: () => unknown }[] = [];
  const announce = (reason: string, failed: boolean) => failed && console.error(reason);
  const shutDown = shutDownInOrder({ steps, withinMs: 30_000, announce });
  return {
    onShutdown: (name, run) => void steps.unshift({ name, run }),
    fail: (error) => shutDown(describeError(error), { failed: true }),
  };
}

/** A sentence for people; with LOG_LEVEL=debug, where it comes from too. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return process.env.LOG_LEVEL === 'debug' ? inspect(error) : error.message;
}

import type { Logger } from './logger.ts';

export interface ShutdownStep {
  readonly name: string;
  run(): Promise<unknown> | unknown;
  /** After this time the next step begins. What is left of this one ends with the process. */
  readonly limitMs?: number;
}

export interface ShutdownOptions {
  /**
   * The steps, run in this order. Each waits for the one before; a failure does not skip the next.
   */
  readonly steps: readonly ShutdownStep[];
  /** The process exits with 1 after this time, even if a step is still running. */
  readonly timeoutMs?: number;
  readonly logger?: Logger;
  /** Called once with the reason for the shutdown. */
  readonly announce?: (reason: string, failed: boolean) => void;
}

/** The exit code is 1 if `failed` is set or a step failed. */
export type ShutDown = (reason: string, options?: { readonly failed?: boolean }) => Promise<void>;

/**
 * Shuts the process down in order, once, on SIGINT, on SIGTERM, and when the parent process that
 * forked it has ended, even by kill -9. Exits with 0 if every step succeeded, and with 1 after a
 * failure or timeout. Returns a function that triggers the same shutdown.
 */
export function registerShutdown({ steps, timeoutMs = 15_000, logger, announce }: ShutdownOptions): ShutDown {
  let running: Promise<void> | undefined;

  const run = async (reason: string, failed: boolean) => {
    logger?.info({ reason }, 'shutting down');
    announce?.(reason, failed);
    const timeout = setTimeout(() => {
      logger?.error({ timeoutMs }, 'shutdown timed out');
      process.exit(1);
    }, timeoutMs);
    let code = failed ? 1 : 0;
    // Components that are still starting may add steps later; they end with the process.
    for (const step of [...steps]) {
      try {
        const isDone = await waitAtMost(step.limitMs, step.run());
        if (!isDone) logger?.warn({ step: step.name, limitMs: step.limitMs }, 'shutdown step not finished in time');
      } catch (error) {
        code = 1;
        logger?.error({ err: error, step: step.name }, 'shutdown step failed');
      }
    }
    clearTimeout(timeout);
    process.exit(code);
  };

  const shutDown: ShutDown = (reason, { failed = false } = {}) => {
    running ??= run(reason, failed);
    return running;
  };
  // A second Ctrl-C has no effect, so that writes in progress complete.
  process.on('SIGINT', () => void shutDown('SIGINT'));
  process.on('SIGTERM', () => void shutDown('SIGTERM'));
  if (process.channel) process.once('disconnect', () => void shutDown('the parent process has ended'));
  return shutDown;
}

/** Returns whether the work finished within the time. Throws what the work throws until then. */
async function waitAtMost(limitMs: number | undefined, work: unknown): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    if (limitMs !== undefined) timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([Promise.resolve(work).then(() => true), limit]);
  } finally {
    clearTimeout(timer);
  }
}

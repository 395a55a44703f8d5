import type { Logger } from './logger.ts';

export interface ShutdownOptions {
  /**
   * The steps, run in this order. Each waits for the one before; a failure does not skip the next.
   */
  readonly steps: readonly { readonly name: string; run(): Promise<unknown> | unknown }[];
  /** The process exits after this time, even if a step is still running. */
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
        await step.run();
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

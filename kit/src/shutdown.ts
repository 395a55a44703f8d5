import type { Logger } from './logger.ts';

export interface ShutdownOptions {
  /**
   * What to end, in this order; each waits for the one before, and a failure does not keep the next
   * from its turn.
   */
  readonly steps: readonly { readonly name: string; run(): Promise<unknown> | unknown }[];
  /** After this long the process ends, whatever still hangs. */
  readonly withinMs?: number;
  readonly logger?: Logger;
  /** Hears, once, why it ends. */
  readonly announce?: (reason: string, failed: boolean) => void;
}

/** The exit code is 1 when it `failed`, or a step did. */
export type ShutDown = (reason: string, options?: { readonly failed?: boolean }) => Promise<void>;

/**
 * Ends the process in order, once, on SIGINT, SIGTERM and when the parent that forked it is gone
 * (kill -9 included). Exit code 0 when every step went well, 1 when one failed or time ran out.
 * Returns the same act, to be called by hand.
 */
export function shutDownInOrder({ steps, withinMs = 15_000, logger, announce }: ShutdownOptions): ShutDown {
  let begun: Promise<void> | undefined;

  const run = async (reason: string, failed: boolean) => {
    logger?.info({ reason }, 'shutting down');
    announce?.(reason, failed);
    const limit = setTimeout(() => {
      logger?.error({ withinMs }, 'shutting down took too long');
      process.exit(1);
    }, withinMs);
    let code = failed ? 1 : 0;
    // What is still being started may go on to add steps; it ends with the process.
    for (const step of [...steps]) {
      try {
        await step.run();
      } catch (error) {
        code = 1;
        logger?.error({ err: error, step: step.name }, 'a step of the shutdown failed');
      }
    }
    clearTimeout(limit);
    process.exit(code);
  };

  const shutDown: ShutDown = (reason, { failed = false } = {}) => {
    begun ??= run(reason, failed);
    return begun;
  };
  // A second Ctrl-C lands here too and changes nothing: what is being written is being finished.
  process.on('SIGINT', () => void shutDown('SIGINT'));
  process.on('SIGTERM', () => void shutDown('SIGTERM'));
  if (process.channel) process.once('disconnect', () => void shutDown('the parent process is gone'));
  return shutDown;
}

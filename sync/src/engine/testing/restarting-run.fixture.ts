/**
 * A run that is restarted after each interruption, as in the service, until it is stopped or halts.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { LeaseLostError } from '../../integration/lease-lost-error.ts';
import type { RunResult } from '../../integration/run-host.ts';
import { isExternalOutage } from '../../supervisor/classify-failure.ts';

export interface TestRun {
  readonly ended: Promise<RunResult>;
  wake(): void;
  /** Acts like a webhook of Journey. */
  receiveWebhook(): void;
  /** Acts like the operator's "Try now". */
  tryNow(): void;
  stop(): Promise<void>;
}

export interface RestartingRun extends TestRun {
  /** The message of each interruption, as the service would log it. */
  readonly interruptions: string[];
  /**
   * The interruptions that the service would not classify as outages; several in a row halt the
   * run.
   */
  readonly failures: string[];
}

export function runWithRestarts(start: () => TestRun): RestartingRun {
  const interruptions: string[] = [];
  const failures: string[] = [];
  let [run, isStopped] = [start(), false];
  const again = async (): Promise<RunResult> => {
    for (;;) {
      try {
        return await run.ended;
      } catch (error) {
        if (isStopped) throw error;
        // The service takes a new lease then: a restore that replaces the engine's state looks the
        // same.
        if (!(error instanceof LeaseLostError)) {
          const message = error instanceof Error ? error.message : String(error);
          interruptions.push(message);
          if (!isExternalOutage(error)) failures.push(message);
        }
        await pause(50);
        // Stopped in the meantime: no one would stop the next run.
        if (isStopped) throw error;
        run = start();
      }
    }
  };
  const ended = again();
  ended.catch(() => undefined);
  return {
    interruptions,
    failures,
    ended,
    wake: () => run.wake(),
    receiveWebhook: () => run.receiveWebhook(),
    tryNow: () => run.tryNow(),
    async stop() {
      isStopped = true;
      await run.stop();
      await ended.catch(() => undefined);
    },
  };
}

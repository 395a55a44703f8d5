import { describeError, type Lifecycle } from './lifecycle.ts';

/** A part of the system that has started. */
export interface RunningPart {
  /** Resolves when the part has ended, with the reason in words: `signal SIGKILL`. */
  readonly ended: Promise<string>;
  /** Stops the part; does nothing if it has already ended. */
  stop(): Promise<unknown>;
}

export interface KeptPart<Part extends RunningPart> {
  /** The part as it was first started. */
  readonly first: Part;
  /** Resolves when the part is running, or when the system stops. */
  waitUntilRunning(): Promise<unknown>;
}

const initialDelayMs = 500;
const maxDelayMs = 30_000;
/** A part that has run for this long is started again after the initial delay. */
const stableAfterMs = 60_000;
const maxEnds = 5;
const endsWithinMs = 60_000;

/**
 * Starts a part, and starts it again whenever it ends unexpectedly, after a delay that doubles each
 * time. Prints every step. If the part ends or cannot be started again five times within a minute,
 * the system stops. Throws if the part cannot be started the first time.
 *
 * @param name the subject of a sentence: "The sync service"
 */
export async function keepRunning<Part extends RunningPart>(
  name: string,
  start: () => Promise<Part>,
  lifecycle: Lifecycle,
): Promise<KeptPart<Part>> {
  const { stopping } = lifecycle;
  let part = start();
  let running: Promise<unknown> = part;
  let markRunning: () => void = () => undefined;
  // Registered before the part has started, because a shutdown may begin at any time. A part that
  // did not start has nothing to stop.
  lifecycle.onShutdown(name, () =>
    part.then(
      (started) => started.stop(),
      () => undefined,
    ),
  );

  const describeEnd = async (): Promise<string> => {
    let started: Part;
    try {
      started = await part;
    } catch (error) {
      return `${name} could not be started again (${describeError(error)})`;
    }
    const reason = await started.ended;
    running = new Promise<void>((resolve) => {
      markRunning = resolve;
      stopping.addEventListener('abort', () => resolve(), { once: true });
    });
    return `${name} stopped (${reason})`;
  };

  const startAgainAndAgain = async (): Promise<void> => {
    const endsMs: number[] = [];
    for (let delayMs = initialDelayMs; ; delayMs = Math.min(maxDelayMs, delayMs * 2)) {
      const startedMs = performance.now();
      const end = await describeEnd();
      if (stopping.aborted) return;
      const nowMs = performance.now();
      endsMs.push(nowMs);
      if (endsMs.filter((endMs) => endMs > nowMs - endsWithinMs).length >= maxEnds)
        return lifecycle.fail(`${end} for the fifth time within a minute.`);
      if (nowMs - startedMs >= stableAfterMs) delayMs = initialDelayMs;
      console.error(`${end}. Starting it again in ${delayMs / 1000} s.`);
      await pause(delayMs, stopping);
      if (stopping.aborted) return;
      part = start();
      part.then(
        () => {
          console.error(`${name} is running again.`);
          markRunning();
        },
        () => undefined,
      );
    }
  };

  const first = await part;
  void startAgainAndAgain();
  return { first, waitUntilRunning: () => running };
}

/** Resolves after the time, or when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish);
  });
}

import { Unreachable } from '@portal/kit/problems';
import { DateTime } from 'luxon';

/** Why a call to a silent system fails at once, without using the network. */
export class Silent extends Unreachable {}

export interface ReachabilityTimes {
  /** How long after the system turned silent it is first probed. Default: 2 s. */
  readonly firstProbeMs?: number;
  /** The pause between probes doubles up to this. Default: 30 s. */
  readonly maxProbePauseMs?: number;
  /** How long an abandoned call must have waited to raise suspicion. Default: 1 s. */
  readonly suspiciousMs?: number;
}

export interface ReachabilityOptions extends ReachabilityTimes {
  /** The subject of messages: 'The data source helium-app-1'. */
  readonly name: string;
  /** The IANA zone of times in messages. Default: UTC. */
  readonly timeZone?: string | undefined;
  /**
   * Calls the system on a connection of its own. Rejects only if there is no answer; a refusal is
   * an answer.
   */
  readonly probe: () => Promise<void>;
  readonly onSilent?: () => void;
}

/**
 * Remembers whether an external system answers. One call without any answer makes the system silent
 * for all callers. Until a probe or a call that was already running is answered, calls fail at
 * once.
 */
export class Reachability {
  readonly #options: ReachabilityOptions;
  readonly #waiting = new Set<(problem: Silent) => void>();
  #silentSince: number | undefined;
  #lastAnswerAt = Number.NEGATIVE_INFINITY;
  #isChecking = false;
  #nextProbe: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: ReachabilityOptions) {
    this.#options = options;
  }

  /** The problem with which calls fail while the system is silent. */
  get silence(): Silent | undefined {
    if (this.#silentSince === undefined) return undefined;
    const { name, timeZone = 'UTC' } = this.#options;
    return new Silent(`${name} has not answered since ${formatTimeOfDay(this.#silentSince, timeZone)}.`);
  }

  /** Throws Silent while the system is silent. */
  requireAnswering(): void {
    const problem = this.silence;
    if (problem) throw problem;
  }

  /** Waits for the work, or throws Silent as soon as the system turns silent. */
  async untilSilent<Result>(work: Promise<Result>): Promise<Result> {
    let stopWaiting: (problem: Silent) => void = () => undefined;
    const silent = new Promise<never>((_, reject) => {
      stopWaiting = reject;
      this.#waiting.add(reject);
    });
    try {
      return await Promise.race([work, silent]);
    } finally {
      this.#waiting.delete(stopWaiting);
    }
  }

  /** The system answered, whatever it said. */
  noteAnswer(): void {
    this.#lastAnswerAt = performance.now();
    this.#silentSince = undefined;
    clearTimeout(this.#nextProbe);
  }

  /**
   * A call that began at `startedAt` (of `performance.now()`) was not answered. That makes the
   * system silent unless it has answered another call since.
   */
  noteSilence(startedAt: number): void {
    if (this.#silentSince !== undefined || this.#isStopped || this.#lastAnswerAt >= startedAt) return;
    this.#silentSince = Date.now() - (performance.now() - startedAt);
    const problem = this.silence;
    if (problem) for (const stopWaiting of this.#waiting) stopWaiting(problem);
    this.#options.onSilent?.();
    this.#probeAfter(this.#options.firstProbeMs ?? 2_000);
  }

  /**
   * A caller stopped waiting for a call that began at `startedAt`. Callers with little time would
   * otherwise never find a silent system, so a probe decides.
   */
  noteAbandoned(startedAt: number): void {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs < (this.#options.suspiciousMs ?? 1_000) || this.#lastAnswerAt >= startedAt) return;
    if (this.#isChecking || this.#isStopped || this.#silentSince !== undefined) return;
    this.#isChecking = true;
    this.#options
      .probe()
      .then(
        () => this.noteAnswer(),
        () => this.noteSilence(startedAt),
      )
      .finally(() => {
        this.#isChecking = false;
      });
  }

  /** Ends the probing. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#nextProbe);
  }

  #probeAfter(pauseMs: number): void {
    if (this.#isStopped) return;
    const { probe, maxProbePauseMs = 30_000 } = this.#options;
    const silentSince = this.#silentSince;
    this.#nextProbe = setTimeout(() => {
      probe().then(
        () => this.noteAnswer(),
        () => {
          // A call that was already running may have been answered.
          if (this.#silentSince === silentSince) this.#probeAfter(Math.min(pauseMs * 2, maxProbePauseMs));
        },
      );
    }, pauseMs).unref();
  }
}

/** Returns '16:55', or 'Mon 23 Nov 16:55' if that is not today. */
export function formatTimeOfDay(ms: number, timeZone: string): string {
  const time = DateTime.fromMillis(ms, { zone: timeZone, locale: 'en-GB' });
  return time.toFormat(time.hasSame(DateTime.now().setZone(timeZone), 'day') ? 'HH:mm' : 'ccc d LLL HH:mm');
}

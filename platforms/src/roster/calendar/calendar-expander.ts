import { Unreachable } from '@portal/kit/problems';
import { JobTooExpensive, WorkerPool } from '@portal/kit/worker-pool';
import type { RosterReading } from '../roster-source.ts';
import type { CalendarJob, CalendarOutcome } from './calendar-worker.ts';
import { unpackShifts } from './packed-shifts.ts';

const defaultTimeoutMs = 20_000;

export interface CalendarExpanderOptions {
  readonly timeoutMs?: number;
  /** Called with each error that is a bug, for the log; readers get a general message. */
  readonly onBug?: (error: Error) => void;
}

/**
 * Expands calendar feeds in worker threads, one feed at a time per thread. A feed that takes too
 * long is abandoned, because some recurrence rules never end.
 */
export class CalendarExpander {
  readonly #workers: WorkerPool<CalendarJob, CalendarOutcome>;
  readonly #onBug: (error: Error) => void;

  constructor({ timeoutMs = defaultTimeoutMs, onBug = () => undefined }: CalendarExpanderOptions = {}) {
    this.#onBug = onBug;
    const module = new URL('./calendar-thread.mjs', import.meta.url);
    this.#workers = new WorkerPool({ module, maxWorkers: 2, timeoutMs });
  }

  /**
   * Like `expandCalendar`, but throws Unreachable with a message for people.
   *
   * @param what the subject of the message: "The calendar of Health"
   */
  async expand(what: string, job: CalendarJob): Promise<Omit<RosterReading, 'numbers'>> {
    const outcome = await this.#workers.run(job).catch((error: unknown): CalendarOutcome => {
      if (error instanceof JobTooExpensive) return { problem: 'its events take too long to expand' };
      throw error;
    });
    if ('shifts' in outcome) {
      for (const bug of outcome.bugs) this.#onBug(bug);
      const { shifts, warnings, notes } = outcome;
      return { shifts: unpackShifts(shifts), warnings, notes };
    }
    if ('bug' in outcome) this.#onBug(outcome.bug);
    const reason = 'problem' in outcome ? outcome.problem : 'the portal failed for an unknown reason';
    throw new Unreachable(`${what} cannot be read: ${reason}.`);
  }

  stop(): Promise<void> {
    return this.#workers.stop();
  }
}

import { Unreachable } from '@portal/kit/problems';
import { JobTooExpensive, WorkerPool } from '@portal/kit/worker-pool';
import type { RosterReading } from '../roster-source.ts';
import type { CalendarJob, CalendarOutcome } from './calendar-worker.ts';
import { unpackShifts } from './packed-shifts.ts';

const defaultTimeoutMs = 20_000;

/**
 * Expands calendar feeds in worker threads, one feed at a time per thread. A feed that takes too
 * long is abandoned, because some recurrence rules never end.
 */
export class CalendarExpander {
  readonly #workers: WorkerPool<CalendarJob, CalendarOutcome>;

  constructor({ timeoutMs = defaultTimeoutMs }: { readonly timeoutMs?: number } = {}) {
    const module = new URL('./calendar-thread.mjs', import.meta.url);
    this.#workers = new WorkerPool({ module, maxWorkers: 2, timeoutMs });
  }

  /**
   * Like `expandCalendar`, but throws Unreachable with a message for people.
   *
   * @param what the subject of the message: "The calendar of Health"
   */
  async expand(what: string, job: CalendarJob): Promise<Pick<RosterReading, 'shifts' | 'notes'>> {
    const outcome = await this.#workers.run(job).catch((error: unknown): CalendarOutcome => {
      if (error instanceof JobTooExpensive) return { problem: 'its events take too long to expand' };
      throw error;
    });
    if ('shifts' in outcome) return { shifts: unpackShifts(outcome.shifts), notes: outcome.shifts.notes };
    throw new Unreachable(`${what} cannot be read: ${outcome.problem}.`);
  }

  stop(): Promise<void> {
    return this.#workers.stop();
  }
}

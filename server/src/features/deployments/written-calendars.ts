import { createHash } from 'node:crypto';
import type { Dependencies } from '../../dependencies.ts';
import type { SlotUser } from '../../user-slots.ts';
import { countSaves, listAround } from './schedules.store.ts';
import { writeCalendar } from './write-calendar.ts';

const dayMs = 24 * 60 * 60_000;
const daysBack = 90;
const maxYears = 3;
const maxEvents = 2_000;

export interface WrittenCalendar {
  readonly body: Buffer;
  /** The ETag header, the same on every node. */
  readonly etag: string;
}

/**
 * The WrittenCalendars is the component that keeps the calendar of each environment until one of
 * its schedules is saved or the day changes.
 */
export class WrittenCalendars {
  readonly #dependencies: Pick<Dependencies, 'pool' | 'heavyWork' | 'config'>;
  /** By environment; requests that arrive while a calendar is written share it. */
  readonly #calendars = new Map<string, { readonly version: string; readonly calendar: Promise<WrittenCalendar> }>();

  constructor(dependencies: Pick<Dependencies, 'pool' | 'heavyWork' | 'config'>) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns the calendar from 90 days ago on, three years at most. If it has more than 2,000
   * events, it has those closest to today. Throws Busy.
   *
   * @param user The user the calendar is written for, unless it is written already.
   */
  async read(user: SlotUser): Promise<WrittenCalendar> {
    const { name } = user.environment;
    const today = Math.floor(Date.now() / dayMs);
    const version = `${today} ${await countSaves(this.#dependencies.pool, name)}`;
    const known = this.#calendars.get(name);
    if (known?.version === version) return known.calendar;
    const written = { version, calendar: this.#write(user, new Date(today * dayMs)) };
    this.#calendars.set(name, written);
    written.calendar.catch(() => {
      if (this.#calendars.get(name) === written) this.#calendars.delete(name);
    });
    return written.calendar;
  }

  async #write(user: SlotUser, today: Date): Promise<WrittenCalendar> {
    const { name } = user.environment;
    const from = new Date(today.getTime() - daysBack * dayMs);
    const to = new Date(from);
    to.setUTCFullYear(from.getUTCFullYear() + maxYears);
    const schedules = await this.#dependencies.heavyWork.run(user, (pool) =>
      listAround(pool, name, { from, to, around: today, limit: maxEvents }),
    );
    const portalUrl = this.#dependencies.config.publicUrl ?? null;
    const body = Buffer.from(await writeCalendar(schedules, { environment: name, portalUrl }));
    return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
  }
}

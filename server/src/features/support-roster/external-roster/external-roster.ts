import { Unreachable } from '@portal/kit/problems';
import { RetryLater } from '@portal/platforms/roster/fetch-external';
import {
  overlaps,
  type RosterReading,
  type RosterSource,
  type Shift,
  type Span,
} from '@portal/platforms/roster/roster-source';
import { DateTime } from 'luxon';
import type { TeamReading } from '../support-team.ts';
import { isUnread, keepUnread } from './keep-unread.ts';
import type { RosterCache } from './roster-cache.ts';

const maxYears = 6;
/** How long a failed source is not read again. */
const failureBackoffMs = 15_000;

export interface ExternalRosterOptions {
  /** Time zone in which years begin. */
  readonly timeZone: string;
  /** Persistent cache that survives restarts. */
  readonly cache?: Pick<RosterCache, 'load' | 'save'>;
  /** Called with the problem when reading starts to fail, and with null when it works again. */
  readonly onHealthChange?: (problem: Unreachable | null) => void;
  readonly now?: () => Date;
}

interface Load {
  /** When something is known, which may not be everything. */
  readonly first: Promise<void>;
  readonly whole: Promise<void>;
}

/**
 * Reads and caches a team's roster from an external source, by year. Readers wait only for years
 * that are not cached. `refresh` reads all cached years again; if that fails, the cached data stays
 * available together with the problem, even after a restart.
 */
export class ExternalRoster {
  readonly #source: RosterSource;
  readonly #timeZone: string;
  readonly #cache: ExternalRosterOptions['cache'];
  readonly #onHealthChange: (problem: Unreachable | null) => void;
  readonly #now: () => Date;
  /** Least recently used first. */
  readonly #years = new Map<number, readonly Shift[]>();
  readonly #spans = new Map<number, Span>();
  readonly #loading = new Map<string, Load>();
  #latest: Pick<RosterReading, 'numbers' | 'warnings' | 'notes'> = { numbers: new Map(), warnings: [], notes: [] };
  /** What is being read for the first time. */
  #pending: readonly Span[] = [];
  /** What the latest reading does not have. */
  #unread: readonly Span[] = [];
  #readAt: Date | undefined;
  #restored: Promise<void> | undefined;
  #failure: { readonly problem: Unreachable; readonly retryAt: number } | undefined;

  constructor(
    source: RosterSource,
    { timeZone, cache, onHealthChange = () => undefined, now = () => new Date() }: ExternalRosterOptions,
  ) {
    this.#source = source;
    this.#timeZone = timeZone;
    this.#cache = cache;
    this.#onHealthChange = onHealthChange;
    this.#now = now;
  }

  async read(span: Span): Promise<TeamReading> {
    const years = this.#getYears(span);
    const isMissing = () => years.some((year) => !this.#years.has(year));
    const isIncomplete = () => isMissing() || this.#pending.some(({ from, to }) => from < span.to && to > span.from);
    if (isIncomplete()) {
      try {
        const load = this.#load(this.#withCached(years));
        await load.first;
        if (isIncomplete()) await load.whole;
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        await this.#restore();
        if (isMissing()) throw error;
      }
    }
    const shifts = years.map((year, index) => this.#within(year, span, { withEarlier: index === 0 }));
    // Unknown is not empty.
    if (isUnread(span, this.#unread) && shifts.every(({ length }) => length === 0))
      throw new Unreachable('The shifts of this time are not known. The page of the team shows why.');
    const problem = this.#failure?.problem.message ?? null;
    return {
      shifts: shifts.length === 1 && shifts[0] ? shifts[0] : shifts.flat(),
      ...this.#latest,
      readAt: this.#readAt ?? this.#now(),
      problem,
    };
  }

  /**
   * Reads this year, the next year and all other cached years again. A failure is reported to
   * readers.
   */
  async refresh(): Promise<void> {
    await this.#restore();
    const now = this.#now();
    const years = this.#getYears({ from: now, to: new Date(now.getTime() + 366 * 86_400_000) });
    try {
      await this.#load(this.#withCached(years)).whole;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return;
    }
    if (!this.#readAt) return;
    await this.#cache?.save({ ...this.#latest, readAt: this.#readAt, years: this.#years, unread: this.#unread });
  }

  /** Restores the saved roster once; ignored if the roster has been read in the meantime. */
  #restore(): Promise<void> {
    this.#restored ??= this.#restoreNow();
    return this.#restored;
  }

  async #restoreNow(): Promise<void> {
    const stored = await this.#cache?.load();
    if (!stored || this.#readAt) return;
    for (const [year, shifts] of stored.years) this.#store(year, shifts);
    const { numbers, warnings, notes, unread } = stored;
    this.#latest = { numbers, warnings, notes };
    this.#unread = unread;
    this.#readAt = stored.readAt;
  }

  #withCached(years: readonly number[]): number[] {
    const otherYears = [...this.#years.keys()].filter((year) => !years.includes(year));
    return [...otherYears.slice(-(maxYears - years.length)), ...years];
  }

  /** Concurrent readers of the same years share one load. */
  #load(years: readonly number[]): Load {
    const key = years.toSorted().join();
    const found = this.#loading.get(key);
    if (found) return found;
    let reportFirst: () => void = () => undefined;
    const isStarted = new Promise<void>((resolve) => {
      reportFirst = resolve;
    });
    const whole = this.#loadNow(years, reportFirst).finally(() => this.#loading.delete(key));
    const first = Promise.race([isStarted, whole]);
    // A caller may wait for the whole only.
    first.catch(() => undefined);
    const load = { first, whole };
    this.#loading.set(key, load);
    return load;
  }

  async #loadNow(years: readonly number[], reportFirst: () => void): Promise<void> {
    const startedAt = this.#now();
    if (this.#failure && startedAt.getTime() < this.#failure.retryAt) throw this.#failure.problem;
    const isFirst = years.some((year) => !this.#years.has(year));
    try {
      const reading = await this.#source.read(
        years.map((year) => this.#getSpan(year)),
        (progress) => {
          this.#storeReading(years, progress, startedAt);
          if (isFirst) this.#pending = progress.unread ?? [];
          reportFirst();
        },
      );
      this.#storeReading(years, reading, startedAt);
      if (this.#failure) this.#onHealthChange(null);
      this.#failure = undefined;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const retryAt = error instanceof RetryLater ? error.until.getTime() : this.#now().getTime() + failureBackoffMs;
      if (!this.#failure) this.#onHealthChange(error);
      this.#failure = { problem: error, retryAt };
      throw error;
    } finally {
      if (isFirst) this.#pending = [];
    }
  }

  #storeReading(years: readonly number[], reading: RosterReading, readAt: Date): void {
    const { shifts, numbers, warnings, notes, unread = [] } = reading;
    for (const [index, year] of years.entries())
      this.#store(year, keepUnread(this.#years.get(year) ?? [], shifts[index] ?? [], unread));
    this.#latest = { numbers, warnings, notes };
    this.#unread = unread;
    this.#readAt = readAt;
  }

  /**
   * Returns the cached shifts of a year that overlap the span; `withEarlier` includes those that
   * started in the year before.
   */
  #within(year: number, span: Span, { withEarlier }: { readonly withEarlier: boolean }): readonly Shift[] {
    const shifts = this.#years.get(year) ?? [];
    this.#store(year, shifts);
    const { from, to } = this.#getSpan(year);
    if (withEarlier && span.from <= from && span.to >= to) return shifts;
    return shifts.filter((shift) => overlaps(shift, span) && (withEarlier || shift.start >= from));
  }

  #store(year: number, shifts: readonly Shift[]): void {
    this.#years.delete(year);
    this.#years.set(year, shifts);
    const [oldest] = this.#years.keys();
    if (this.#years.size > maxYears && oldest !== undefined) this.#years.delete(oldest);
  }

  #getYears({ from, to }: Span): number[] {
    const getYear = (date: Date) => DateTime.fromJSDate(date, { zone: this.#timeZone }).year;
    const first = getYear(from);
    const last = getYear(new Date(to.getTime() - 1));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }

  #getSpan(year: number): Span {
    const known = this.#spans.get(year);
    if (known) return known;
    const start = (number: number) => DateTime.fromObject({ year: number }, { zone: this.#timeZone }).toJSDate();
    const span = { from: start(year), to: start(year + 1) };
    this.#spans.set(year, span);
    return span;
  }
}

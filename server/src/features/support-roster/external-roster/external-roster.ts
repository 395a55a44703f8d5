import { Unreachable } from '@portal/kit/problems';
import { RetryLater } from '@portal/platforms/roster/fetch-external';
import { overlaps, type RosterSource, type Shift, type Span } from '@portal/platforms/roster/roster-source';
import { DateTime } from 'luxon';
import type { TeamReading } from '../support-team.ts';
import type { RosterMemory } from './roster-memory.ts';

const mostYears = 6;
/** A source that failed is left alone for so long, however many people ask. */
const restMs = 15_000;

export interface ExternalRosterOptions {
  /** In which years begin. */
  readonly timeZone: string;
  /** Outlives the server; none where it is left out. */
  readonly memory?: Pick<RosterMemory, 'recall' | 'keep'>;
  /** Hears when it begins to fail, and when it no longer does (null). */
  readonly tell?: (problem: string | null) => void;
  readonly now?: () => Date;
}

/**
 * A team's roster from elsewhere, year by year. Readers wait only for a year that nobody has asked
 * for before; `refresh` reads all that is kept anew, and where that fails what there was stays,
 * with the problem beside it, also over a restart.
 */
export class ExternalRoster {
  readonly #source: RosterSource;
  readonly #timeZone: string;
  readonly #memory: ExternalRosterOptions['memory'];
  readonly #tell: (problem: string | null) => void;
  readonly #now: () => Date;
  /** The one that was not asked for longest is first. */
  readonly #years = new Map<number, readonly Shift[]>();
  readonly #spans = new Map<number, Span>();
  readonly #underWay = new Map<string, Promise<void>>();
  #numbers: ReadonlyMap<string, string> = new Map();
  #readAt: Date | undefined;
  #recalled: Promise<void> | undefined;
  #failure: { readonly problem: Unreachable; readonly restUntil: number } | undefined;

  constructor(
    source: RosterSource,
    { timeZone, memory, tell = () => undefined, now = () => new Date() }: ExternalRosterOptions,
  ) {
    this.#source = source;
    this.#timeZone = timeZone;
    this.#memory = memory;
    this.#tell = tell;
    this.#now = now;
  }

  async read(span: Span): Promise<TeamReading> {
    const years = this.#yearsOf(span);
    const isMissing = () => years.some((year) => !this.#years.has(year));
    if (isMissing()) {
      try {
        await this.#load(this.#withKept(years));
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        await this.#recall();
        if (isMissing()) throw error;
      }
    }
    const shifts = years.map((year, index) => this.#within(year, span, { withEarlier: index === 0 }));
    const problem = this.#failure?.problem.message ?? null;
    return {
      shifts: shifts.length === 1 && shifts[0] ? shifts[0] : shifts.flat(),
      numbers: this.#numbers,
      readAt: this.#readAt ?? this.#now(),
      problem,
    };
  }

  /**
   * Reads this year and the next, and whatever else is kept, anew. What goes wrong is told to those
   * who read.
   */
  async refresh(): Promise<void> {
    await this.#recall();
    const now = this.#now();
    const wanted = this.#yearsOf({ from: now, to: new Date(now.getTime() + 366 * 86_400_000) });
    try {
      await this.#load(this.#withKept(wanted));
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return;
    }
    if (this.#readAt) await this.#memory?.keep({ readAt: this.#readAt, years: this.#years, numbers: this.#numbers });
  }

  /**
   * Once: what another server, or this one before its restart, has read last; nothing where it was
   * read here meanwhile.
   */
  #recall(): Promise<void> {
    this.#recalled ??= this.#recallNow();
    return this.#recalled;
  }

  async #recallNow(): Promise<void> {
    const stored = await this.#memory?.recall();
    if (!stored || this.#readAt) return;
    for (const [year, shifts] of stored.years) this.#keep(year, shifts);
    this.#numbers = stored.numbers;
    this.#readAt = stored.readAt;
  }

  #withKept(years: readonly number[]): number[] {
    const others = [...this.#years.keys()].filter((year) => !years.includes(year));
    return [...others.slice(-(mostYears - years.length)), ...years];
  }

  /** Those who need the same at the same time wait for one load. */
  #load(years: readonly number[]): Promise<void> {
    if (this.#failure && this.#now().getTime() < this.#failure.restUntil) return Promise.reject(this.#failure.problem);
    const key = years.toSorted().join();
    const found = this.#underWay.get(key);
    if (found) return found;
    const load = this.#loadNow(years).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, load);
    return load;
  }

  async #loadNow(years: readonly number[]): Promise<void> {
    const startedAt = this.#now();
    try {
      const { shifts, numbers } = await this.#source.read(years.map((year) => this.#spanOf(year)));
      for (const [index, year] of years.entries()) this.#keep(year, shifts[index] ?? []);
      this.#numbers = numbers;
      this.#readAt = startedAt;
      if (this.#failure) this.#tell(null);
      this.#failure = undefined;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const restUntil = error instanceof RetryLater ? error.until.getTime() : this.#now().getTime() + restMs;
      if (!this.#failure) this.#tell(error.message);
      this.#failure = { problem: error, restUntil };
      throw error;
    }
  }

  /**
   * Those of a kept year that touch the span; `withEarlier`: also those that reach over from the
   * year before.
   */
  #within(year: number, span: Span, { withEarlier }: { readonly withEarlier: boolean }): readonly Shift[] {
    const kept = this.#years.get(year) ?? [];
    this.#keep(year, kept);
    const { from, to } = this.#spanOf(year);
    if (withEarlier && span.from <= from && span.to >= to) return kept;
    return kept.filter((shift) => overlaps(shift, span) && (withEarlier || shift.start >= from));
  }

  #keep(year: number, shifts: readonly Shift[]): void {
    this.#years.delete(year);
    this.#years.set(year, shifts);
    const [oldest] = this.#years.keys();
    if (this.#years.size > mostYears && oldest !== undefined) this.#years.delete(oldest);
  }

  #yearsOf({ from, to }: Span): number[] {
    const yearOf = (date: Date) => DateTime.fromJSDate(date, { zone: this.#timeZone }).year;
    const first = yearOf(from);
    const last = yearOf(new Date(to.getTime() - 1));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }

  #spanOf(year: number): Span {
    const known = this.#spans.get(year);
    if (known) return known;
    const start = (number: number) => DateTime.fromObject({ year: number }, { zone: this.#timeZone }).toJSDate();
    const span = { from: start(year), to: start(year + 1) };
    this.#spans.set(year, span);
    return span;
  }
}

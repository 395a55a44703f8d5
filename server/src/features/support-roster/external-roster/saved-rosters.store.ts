import type { Pool } from '@portal/kit/postgres/pool';
import type { Shift, Span } from '@portal/platforms/roster/roster-source';
import { z } from 'zod';

export interface RosterKey {
  readonly environment: string;
  readonly team: string;
  /** Hash of the source. */
  readonly source: Buffer;
}

export interface StoredRoster {
  readonly readAt: Date;
  /** Earliest first. */
  readonly years: ReadonlyMap<number, readonly Shift[]>;
  readonly numbers: ReadonlyMap<string, string>;
  /** What may be missing, and what was left out on purpose, in sentences for people. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  /** Spans that are not known. */
  readonly unread: readonly Span[];
}

const storedShift = z.tuple([z.string(), z.string(), z.number(), z.number()]);
const storedRow = z.object({
  readAt: z.date(),
  years: z.record(z.string(), z.array(storedShift)),
  numbers: z.record(z.string(), z.string()),
  warnings: z.array(z.string()),
  notes: z.array(z.string()),
  unread: z.array(z.tuple([z.number(), z.number()])),
});

/** Returns the roster last saved from that source, or undefined. */
export async function findRoster(
  pool: Pool,
  { environment, team, source }: RosterKey,
): Promise<StoredRoster | undefined> {
  const { rows } = await pool.query<Record<string, unknown>>(
    `select read_at as "readAt", years, numbers, warnings, notes, unread from saved_roster
     where environment = $1 and team = $2 and source = $3`,
    [environment, team, source],
  );
  if (rows[0] === undefined) return undefined;
  const { years, numbers, unread, ...stored } = storedRow.parse(rows[0]);
  return {
    ...stored,
    years: new Map(Object.entries(years).map(([year, shifts]) => [Number(year), shifts.map(toShift)])),
    numbers: new Map(Object.entries(numbers)),
    unread: unread.map(([from, to]) => ({ from: new Date(from), to: new Date(to) })),
  };
}

/** Saves the roster, unless another node has saved a newer one. */
export async function saveRoster(
  pool: Pool,
  { environment, team, source }: RosterKey,
  { readAt, years, numbers, warnings, notes, unread }: StoredRoster,
): Promise<void> {
  const written = Object.fromEntries([...years].map(([year, shifts]) => [year, shifts.map(toTuple)]));
  await pool.query(
    `insert into saved_roster as saved
       (environment, team, source, read_at, years, numbers, warnings, notes, unread)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (environment, team) do update set source = excluded.source, read_at = excluded.read_at,
       -- Unchanged years are not rewritten: they may be megabytes, every few minutes.
       years = case when saved.years = excluded.years then saved.years else excluded.years end,
       numbers = excluded.numbers, warnings = excluded.warnings, notes = excluded.notes, unread = excluded.unread
       where saved.source <> excluded.source or saved.read_at < excluded.read_at`,
    [
      environment,
      team,
      source,
      readAt,
      JSON.stringify(written),
      JSON.stringify(Object.fromEntries(numbers)),
      warnings,
      notes,
      JSON.stringify(unread.map(({ from, to }) => [from.getTime(), to.getTime()])),
    ],
  );
}

function toTuple({ personId, name, start, end }: Shift): z.infer<typeof storedShift> {
  return [personId, name, start.getTime(), end.getTime()];
}

function toShift([personId, name, start, end]: z.infer<typeof storedShift>): Shift {
  return { personId, name, start: new Date(start), end: new Date(end) };
}

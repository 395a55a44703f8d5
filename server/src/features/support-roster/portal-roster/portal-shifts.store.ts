import { inTransaction, type Pool, type PoolClient } from '@portal/kit/postgres/pool';
import type { Shift, Span } from '@portal/platforms/roster/roster-source';

/** Identifies a team. */
export interface TeamKey {
  readonly environment: string;
  readonly team: string;
}

export interface StoredShift {
  readonly id: string;
  readonly name: string;
  /** The person's number in plain text. */
  readonly number: string | null;
  readonly start: Date;
  readonly end: Date;
}

export interface NewShift extends Pick<StoredShift, 'name' | 'start' | 'end'> {
  /** Null removes the person's number; undefined keeps it. */
  readonly number: string | null | undefined;
}

/** Shifts to add, by column. */
export interface ShiftColumns {
  readonly names: readonly string[];
  /** Null keeps the person's number. */
  readonly numbers: readonly (string | null)[];
  /** Epoch milliseconds. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

export interface AddShiftsOptions {
  /** Deletes the team's existing shifts first. */
  readonly replace: boolean;
  /** Called with the number of shifts added so far. */
  readonly onProgress: (added: number) => void;
  readonly signal: AbortSignal;
}

/** The number of shifts per statement, so that each one is short. */
const batchSize = 1_000;

const isTeam = 'environment = $1 and team = $2';
const columns = `id::text, name, starts_at as start, ends_at as end,
  (select number from roster_number n
   where n.environment = s.environment and n.team = s.team and n.name = s.name) as number`;

/** Lists the newest shifts, earliest first. */
export async function listShifts(pool: Pool, { environment, team }: TeamKey, limit: number): Promise<StoredShift[]> {
  const { rows } = await pool.query<StoredShift>(
    `select ${columns} from roster_shift s where ${isTeam} order by starts_at desc, s.id desc limit $3`,
    [environment, team, limit],
  );
  return rows.reverse();
}

export interface ShiftsOfTeam {
  readonly shifts: Shift[];
  /** By person. */
  readonly numbers: Map<string, string>;
}

/** Lists the shifts of each team that overlap the span, earliest first, in one statement. */
export async function listShiftsIn(
  pool: Pool,
  { environment, teams }: { readonly environment: string; readonly teams: readonly string[] },
  { from, to }: Span,
): Promise<ReadonlyMap<string, ShiftsOfTeam>> {
  const { rows } = await pool.query<StoredShift & { readonly team: string }>(
    `select team, ${columns} from roster_shift s
     where environment = $1 and team = any($2) and ends_at > $3 and starts_at < $4 order by starts_at, name`,
    [environment, teams, from, to],
  );
  const byTeam = new Map(teams.map((team): [string, ShiftsOfTeam] => [team, { shifts: [], numbers: new Map() }]));
  for (const { team, name, start, end, number } of rows) {
    const ofTeam = byTeam.get(team);
    ofTeam?.shifts.push({ personId: name, name, start, end });
    if (number !== null) ofTeam?.numbers.set(name, number);
  }
  return byTeam;
}

export async function findShift(
  pool: Pool,
  { environment, team }: TeamKey,
  id: string,
): Promise<StoredShift | undefined> {
  const { rows } = await pool.query<StoredShift>(
    `select ${columns} from roster_shift s where ${isTeam} and s.id::text = $3`,
    [environment, team, id],
  );
  return rows[0];
}

/** Returns the id, or undefined if the shift to update no longer exists. */
export function saveShift(pool: Pool, where: TeamKey, id: string | null, shift: NewShift): Promise<string | undefined> {
  return inTransaction(pool, async (client) => {
    const values = [where.environment, where.team, shift.name, shift.start, shift.end];
    const { rows } = await client.query<{ id: string; nameBefore: string | null }>(
      id === null
        ? `insert into roster_shift (environment, team, name, starts_at, ends_at) values ($1, $2, $3, $4, $5)
           returning id::text, null as "nameBefore"`
        : `with before as (select id, name from roster_shift where ${isTeam} and id::text = $6 for update)
           update roster_shift s set name = $3, starts_at = $4, ends_at = $5 from before where s.id = before.id
           returning s.id::text, before.name as "nameBefore"`,
      id === null ? values : [...values, id],
    );
    const [saved] = rows;
    if (saved === undefined) return undefined;
    if (shift.number === null) {
      await client.query(`delete from roster_number where ${isTeam} and name = $3`, values.slice(0, 3));
    } else if (shift.number !== undefined) {
      await setNumbers(client, where, new Map([[shift.name, shift.number]]));
    }
    if (saved.nameBefore !== null && saved.nameBefore !== shift.name)
      await removeUnusedNumber(client, where, saved.nameBefore);
    return saved.id;
  });
}

/** Returns false if the shift no longer exists. */
export function removeShift(pool: Pool, where: TeamKey, id: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `delete from roster_shift where ${isTeam} and id::text = $3 returning name`,
      [where.environment, where.team, id],
    );
    const [removed] = rows;
    if (removed) await removeUnusedNumber(client, where, removed.name);
    return removed !== undefined;
  });
}

/**
 * Adds all shifts and returns how many were deleted. Must run in a transaction, because it takes
 * many statements. Throws the signal's reason.
 */
export async function addShifts(
  client: PoolClient,
  where: TeamKey,
  shifts: ShiftColumns,
  { replace, onProgress, signal }: AddShiftsOptions,
): Promise<number> {
  const removedCount = replace ? await removeShifts(client, where, shifts.names) : 0;
  for (let from = 0; from < shifts.names.length; from += batchSize) {
    signal.throwIfAborted();
    const until = from + batchSize;
    const names = shifts.names.slice(from, until);
    await client.query(
      `insert into roster_shift (environment, team, name, starts_at, ends_at)
       select $1, $2, name, to_timestamp(starts / 1000), to_timestamp(ends / 1000)
       from unnest($3::text[], $4::float8[], $5::float8[]) as shift (name, starts, ends)`,
      [where.environment, where.team, names, shifts.starts.slice(from, until), shifts.ends.slice(from, until)],
    );
    const numbers = new Map<string, string>();
    for (const [at, name] of names.entries()) {
      const number = shifts.numbers[from + at];
      if (typeof number === 'string') numbers.set(name, number);
    }
    if (numbers.size > 0) await setNumbers(client, where, numbers);
    onProgress(from + names.length);
  }
  return removedCount;
}

/** Deletes the team's shifts, and the numbers of people who have no remaining shifts. */
async function removeShifts(
  client: PoolClient,
  { environment, team }: TeamKey,
  remainingNames: readonly string[],
): Promise<number> {
  const { rowCount } = await client.query(`delete from roster_shift where ${isTeam}`, [environment, team]);
  // PostgreSQL always hashes the list of `not in`. For a join it can choose a nested loop if the
  // statistics are older than the team's rows.
  await client.query(`delete from roster_number where ${isTeam} and name not in (select unnest($3::text[]))`, [
    environment,
    team,
    remainingNames,
  ]);
  return rowCount ?? 0;
}

async function setNumbers(
  client: PoolClient,
  { environment, team }: TeamKey,
  numbers: ReadonlyMap<string, string>,
): Promise<void> {
  await client.query(
    `insert into roster_number (environment, team, name, number) select $1, $2, * from unnest($3::text[], $4::text[])
     on conflict (environment, team, name) do update set number = excluded.number`,
    [environment, team, [...numbers.keys()], [...numbers.values()]],
  );
}

/** Deletes the number of a person without shifts, for privacy. */
async function removeUnusedNumber(client: PoolClient, { environment, team }: TeamKey, name: string): Promise<void> {
  await client.query(
    `delete from roster_number where ${isTeam} and name = $3
     and not exists (select from roster_shift where ${isTeam} and name = $3)`,
    [environment, team, name],
  );
}

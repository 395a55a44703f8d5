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

const isTeam = 'environment = $1 AND team = $2';
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

/** Lists the shifts that overlap the span, earliest first. */
export async function listShiftsIn(
  pool: Pool,
  { environment, team }: TeamKey,
  { from, to }: Span,
): Promise<{ readonly shifts: Shift[]; readonly numbers: ReadonlyMap<string, string> }> {
  const { rows } = await pool.query<StoredShift>(
    `select ${columns} from roster_shift s where ${isTeam} and ends_at > $3 and starts_at < $4 order by starts_at, name`,
    [environment, team, from, to],
  );
  return {
    shifts: rows.map(({ name, start, end }) => ({ personId: name, name, start, end })),
    numbers: new Map(rows.flatMap(({ name, number }) => (number === null ? [] : [[name, number]]))),
  };
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
    const { rows } = await client.query<{ id: string }>(
      id === null
        ? `insert into roster_shift (environment, team, name, starts_at, ends_at) values ($1, $2, $3, $4, $5) returning id::text`
        : `update roster_shift set name = $3, starts_at = $4, ends_at = $5 where ${isTeam} and id::text = $6 returning id::text`,
      id === null ? values : [...values, id],
    );
    if (rows[0] === undefined) return undefined;
    if (shift.number === null) {
      await client.query(`delete from roster_number where ${isTeam} and name = $3`, values.slice(0, 3));
    } else if (shift.number !== undefined) {
      await setNumbers(client, where, new Map([[shift.name, shift.number]]));
    }
    await removeUnusedNumbers(client, where);
    return rows[0].id;
  });
}

/** Returns false if the shift no longer exists. */
export function removeShift(pool: Pool, where: TeamKey, id: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(`delete from roster_shift where ${isTeam} and id::text = $3`, [
      where.environment,
      where.team,
      id,
    ]);
    await removeUnusedNumbers(client, where);
    return rowCount === 1;
  });
}

/** Adds all shifts or none; `replace` deletes the existing ones. Returns how many were deleted. */
export function addShifts(
  pool: Pool,
  where: TeamKey,
  shifts: readonly NewShift[],
  { replace }: { readonly replace: boolean },
): Promise<number> {
  return inTransaction(pool, async (client) => {
    const { environment, team } = where;
    const removed = replace
      ? await client.query(`delete from roster_shift where ${isTeam}`, [environment, team])
      : undefined;
    await client.query(
      `insert into roster_shift (environment, team, name, starts_at, ends_at)
       select $1, $2, * from unnest($3::text[], $4::timestamptz[], $5::timestamptz[])`,
      [
        environment,
        team,
        shifts.map(({ name }) => name),
        shifts.map(({ start }) => start),
        shifts.map(({ end }) => end),
      ],
    );
    await setNumbers(
      client,
      where,
      new Map(shifts.flatMap(({ name, number }) => (typeof number === 'string' ? [[name, number]] : []))),
    );
    await removeUnusedNumbers(client, where);
    return removed?.rowCount ?? 0;
  });
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

/** Deletes the numbers of people without shifts, for privacy. */
async function removeUnusedNumbers(client: PoolClient, { environment, team }: TeamKey): Promise<void> {
  await client.query(
    `delete from roster_number n where ${isTeam} and not exists (
       select from roster_shift s where s.environment = n.environment and s.team = n.team and s.name = n.name)`,
    [environment, team],
  );
}

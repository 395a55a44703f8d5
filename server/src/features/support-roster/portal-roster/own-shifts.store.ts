import { inTransaction, type Pool, type PoolClient } from '@portal/kit/postgres/pool';
import type { Shift, Span } from '@portal/platforms/roster/roster-source';

/** Whose shifts. */
export interface TeamPlace {
  readonly environment: string;
  readonly team: string;
}

export interface StoredShift {
  readonly id: string;
  readonly name: string;
  /** The person's, in the clear. */
  readonly number: string | null;
  readonly start: Date;
  readonly end: Date;
}

export interface NewShift extends Pick<StoredShift, 'name' | 'start' | 'end'> {
  /** Null removes the person's number, undefined leaves it as it is. */
  readonly number: string | null | undefined;
}

const place = 'environment = $1 AND team = $2';
const columns = `id::text, name, starts_at AS start, ends_at AS end,
  (SELECT number FROM roster_number n
   WHERE n.environment = s.environment AND n.team = s.team AND n.name = s.name) AS number`;

/** The newest ones, earliest first. */
export async function listShifts(pool: Pool, { environment, team }: TeamPlace, most: number): Promise<StoredShift[]> {
  const { rows } = await pool.query<StoredShift>(
    `SELECT ${columns} FROM roster_shift s WHERE ${place} ORDER BY starts_at DESC, s.id DESC LIMIT $3`,
    [environment, team, most],
  );
  return rows.reverse();
}

/** Those that touch the span, earliest first. */
export async function listShiftsIn(
  pool: Pool,
  { environment, team }: TeamPlace,
  { from, to }: Span,
): Promise<{ readonly shifts: Shift[]; readonly numbers: ReadonlyMap<string, string> }> {
  const { rows } = await pool.query<StoredShift>(
    `SELECT ${columns} FROM roster_shift s WHERE ${place} AND ends_at > $3 AND starts_at < $4 ORDER BY starts_at, name`,
    [environment, team, from, to],
  );
  return {
    shifts: rows.map(({ name, start, end }) => ({ personId: name, name, start, end })),
    numbers: new Map(rows.flatMap(({ name, number }) => (number === null ? [] : [[name, number]]))),
  };
}

export async function findShift(
  pool: Pool,
  { environment, team }: TeamPlace,
  id: string,
): Promise<StoredShift | undefined> {
  const { rows } = await pool.query<StoredShift>(
    `SELECT ${columns} FROM roster_shift s WHERE ${place} AND s.id::text = $3`,
    [environment, team, id],
  );
  return rows[0];
}

/** Answers the id; undefined where the one to be changed is gone. */
export function saveShift(
  pool: Pool,
  where: TeamPlace,
  id: string | null,
  shift: NewShift,
): Promise<string | undefined> {
  return inTransaction(pool, async (client) => {
    const values = [where.environment, where.team, shift.name, shift.start, shift.end];
    const { rows } = await client.query<{ id: string }>(
      id === null
        ? `INSERT INTO roster_shift (environment, team, name, starts_at, ends_at) VALUES ($1, $2, $3, $4, $5) RETURNING id::text`
        : `UPDATE roster_shift SET name = $3, starts_at = $4, ends_at = $5 WHERE ${place} AND id::text = $6 RETURNING id::text`,
      id === null ? values : [...values, id],
    );
    if (rows[0] === undefined) return undefined;
    if (shift.number === null) {
      await client.query(`DELETE FROM roster_number WHERE ${place} AND name = $3`, values.slice(0, 3));
    } else if (shift.number !== undefined) {
      await setNumbers(client, where, new Map([[shift.name, shift.number]]));
    }
    await forgetStrangers(client, where);
    return rows[0].id;
  });
}

/** False where it is gone already. */
export function removeShift(pool: Pool, where: TeamPlace, id: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(`DELETE FROM roster_shift WHERE ${place} AND id::text = $3`, [
      where.environment,
      where.team,
      id,
    ]);
    await forgetStrangers(client, where);
    return rowCount === 1;
  });
}

/** All or none; `replace` removes what there was. Answers how many it removed. */
export function addShifts(
  pool: Pool,
  where: TeamPlace,
  shifts: readonly NewShift[],
  { replace }: { readonly replace: boolean },
): Promise<number> {
  return inTransaction(pool, async (client) => {
    const { environment, team } = where;
    const removed = replace
      ? await client.query(`DELETE FROM roster_shift WHERE ${place}`, [environment, team])
      : undefined;
    await client.query(
      `INSERT INTO roster_shift (environment, team, name, starts_at, ends_at)
       SELECT $1, $2, * FROM unnest($3::text[], $4::timestamptz[], $5::timestamptz[])`,
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
    await forgetStrangers(client, where);
    return removed?.rowCount ?? 0;
  });
}

async function setNumbers(
  client: PoolClient,
  { environment, team }: TeamPlace,
  numbers: ReadonlyMap<string, string>,
): Promise<void> {
  await client.query(
    `INSERT INTO roster_number (environment, team, name, number) SELECT $1, $2, * FROM unnest($3::text[], $4::text[])
     ON CONFLICT (environment, team, name) DO UPDATE SET number = excluded.number`,
    [environment, team, [...numbers.keys()], [...numbers.values()]],
  );
}

/** Who has no shift left is nobody whose number we should keep. */
async function forgetStrangers(client: PoolClient, { environment, team }: TeamPlace): Promise<void> {
  await client.query(
    `DELETE FROM roster_number n WHERE ${place} AND NOT EXISTS (
       SELECT FROM roster_shift s WHERE s.environment = n.environment AND s.team = n.team AND s.name = n.name)`,
    [environment, team],
  );
}

import {
  type getSchedules,
  type Outcome,
  type Schedule,
  type ScheduleChange,
  scheduleSchema,
} from '@portal/contract/deployments';
import type { RequestOf } from '@portal/contract/endpoint';
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';

/** A schedule without the fields that saving sets. */
export type ScheduleContent = Omit<
  Schedule,
  'id' | 'scheduleStatus' | 'outcome' | 'outcomeNote' | 'portalUser' | 'revision' | 'updatedAt'
>;

export interface Save {
  readonly by: string;
  readonly changes: ScheduleChange['changes'];
  readonly requestKey?: string | undefined;
}

/** A schedule as the database driver returns it. */
interface ScheduleRow extends Omit<Schedule, 'deploymentDate' | 'updatedAt'> {
  readonly deploymentDate: Date;
  readonly updatedAt: Date;
}

interface CalendarRow extends ScheduleRow {
  /** The id of its event, a random UUID. */
  readonly calendarUid: string;
}

/** Returns the column of a field: `releaseName` becomes `release_name`. */
function toColumn(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const selectedColumns = Object.keys(scheduleSchema.shape)
  .map((field) => `${toColumn(field)} as "${field}"`)
  .join(', ');

function toSchedule<Row extends ScheduleRow>({ deploymentDate, updatedAt, ...row }: Row) {
  return { ...row, deploymentDate: deploymentDate.toISOString(), updatedAt: updatedAt.toISOString() };
}

export type ScheduleFilters = NonNullable<RequestOf<typeof getSchedules>>;

/**
 * Lists an environment's schedules, latest date first; see the contract for the filters. A save
 * becomes visible when its transaction ends, so those of the minute before `since` are included.
 */
export async function listSchedules(
  pool: Pool,
  environment: string,
  { limit, from, to, status, since }: ScheduleFilters = {},
): Promise<Schedule[]> {
  const values: unknown[] = [environment, limit ?? null];
  const where = (toCondition: (parameter: string) => string, value: string | undefined) =>
    value === undefined ? [] : [toCondition(`$${values.push(value)}`)];
  const conditions = [
    'environment = $1',
    ...where((parameter) => `deployment_date >= ${parameter}`, from),
    ...where((parameter) => `deployment_date < ${parameter}`, to),
    ...where((parameter) => `schedule_status = ${parameter}`, status),
    ...where((parameter) => `updated_at >= ${parameter}::timestamptz - interval '1 minute'`, since),
  ];
  return findMany<ScheduleRow>(
    pool,
    selectedColumns,
    `${conditions.join(' and ')} order by deployment_date desc, id desc limit $2`,
    values,
  );
}

/** Lists an environment's unresolved schedules between two instants, earliest first. */
export async function listOpenBetween(pool: Pool, environment: string, from: Date, to: Date): Promise<Schedule[]> {
  return find(
    pool,
    `environment = $1 and schedule_status = 'MERGE' and deployment_date between $2 and $3
     order by deployment_date, id`,
    [environment, from, to],
  );
}

export type CalendarSchedule = Schedule & Pick<CalendarRow, 'calendarUid'>;

export interface Surroundings {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly around: Date;
  /** If there are more, those closest to `around` are returned. */
  readonly limit: number;
}

/** Lists the schedules of a period, including resolved ones, earliest first. */
export async function listAround(
  pool: Pool,
  environment: string,
  { from, to, around, limit }: Surroundings,
): Promise<CalendarSchedule[]> {
  return findMany<CalendarRow>(
    pool,
    `${selectedColumns}, calendar_uid as "calendarUid"`,
    `id in (
       select id from deployment_schedules
       where environment = $1 and deployment_date >= $2 and deployment_date < $3
       order by abs(extract(epoch from deployment_date - $4)), id limit $5
     ) order by deployment_date, id`,
    [environment, from, to, around, limit],
  );
}

/** Returns how often schedules of the environment have been saved, which grows with each change. */
export async function countSaves(pool: Pool, environment: string): Promise<string> {
  const { rows } = await pool.query<{ count: string }>(
    'select coalesce(sum(revision), 0) as count from deployment_schedules where environment = $1',
    [environment],
  );
  return requireRow(rows[0]).count;
}

export async function findSchedule(pool: Pool, environment: string, id: string): Promise<Schedule | undefined> {
  // Other texts are no schedule ids, and the database would reject them.
  if (!/^\d{1,18}$/.test(id)) return undefined;
  const [found] = await find(pool, 'environment = $1 and id = $2', [environment, id]);
  return found;
}

/** Finds the schedule saved with this key. */
export async function findByRequestKey(pool: Pool, environment: string, key: string): Promise<Schedule | undefined> {
  const [found] = await find(
    pool,
    'id = (select schedule_id from deployment_saves where environment = $1 and request_key = $2)',
    [environment, key],
  );
  return found;
}

export async function createSchedule(pool: Pool, content: ScheduleContent, save: Save): Promise<Schedule> {
  const { columns, json } = toColumns(content);
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<ScheduleRow>(
      `insert into deployment_schedules (${columns}, schedule_status, portal_user, revision, updated_at)
       select ${columns}, 'MERGE', $2, 1, now() from jsonb_populate_record(null::deployment_schedules, $1)
       returning ${selectedColumns}`,
      [json, save.by],
    );
    const created = toSchedule(requireRow(rows[0]));
    await addSave(client, created, 'created', save);
    return created;
  });
}

/** Returns undefined if the schedule has changed since `seen`. */
export async function updateSchedule(
  pool: Pool,
  seen: Pick<Schedule, 'id' | 'revision'>,
  content: ScheduleContent,
  save: Save,
): Promise<Schedule | undefined> {
  const { columns, json } = toColumns(content);
  return changeSchedule(pool, { ...seen, environment: content.environment }, 'updated', save, {
    assignments: `(${columns}) = (select ${columns} from jsonb_populate_record(null::deployment_schedules, $5))`,
    values: [json],
  });
}

export interface Resolution {
  readonly outcome: Outcome | null;
  readonly outcomeNote: string;
}

/** Returns undefined if the schedule has changed since `seen`. */
export async function markResolved(
  pool: Pool,
  seen: Pick<Schedule, 'id' | 'revision' | 'environment'>,
  { outcome, outcomeNote }: Resolution,
  save: Save,
): Promise<Schedule | undefined> {
  return changeSchedule(pool, seen, 'resolved', save, {
    assignments: `schedule_status = 'RESOLVED', outcome = $5, outcome_note = $6`,
    values: [outcome, outcomeNote],
  });
}

/** Newest first. */
export async function listSaves(pool: Pool, scheduleId: string): Promise<ScheduleChange[]> {
  const { rows } = await pool.query<Omit<ScheduleChange, 'at'> & { at: Date }>(
    `select revision, at, saved_by as by, kind, changes from deployment_saves
     where schedule_id = $1 order by revision desc`,
    [scheduleId],
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

type Client = Pick<Pool, 'query'>;

/** @param change Its SQL parameters start at `$5`. */
async function changeSchedule(
  pool: Pool,
  seen: Pick<Schedule, 'id' | 'revision' | 'environment'>,
  kind: ScheduleChange['kind'],
  save: Save,
  { assignments, values }: { readonly assignments: string; readonly values: readonly unknown[] },
): Promise<Schedule | undefined> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<ScheduleRow>(
      `update deployment_schedules
       set ${assignments}, portal_user = $1, revision = revision + 1, updated_at = now()
       where environment = $2 and id = $3 and revision = $4 and schedule_status = 'MERGE'
       returning ${selectedColumns}`,
      [save.by, seen.environment, seen.id, seen.revision, ...values],
    );
    const changed = rows[0] && toSchedule(rows[0]);
    if (changed) await addSave(client, changed, kind, save);
    return changed;
  });
}

async function addSave(
  client: Client,
  { id, revision, environment }: Schedule,
  kind: ScheduleChange['kind'],
  { by, changes, requestKey }: Save,
): Promise<void> {
  await client.query(
    `insert into deployment_saves (schedule_id, revision, environment, at, saved_by, kind, changes, request_key)
     values ($1, $2, $3, now(), $4, $5, $6, $7)`,
    [id, revision, environment, by, kind, JSON.stringify(changes), requestKey ?? null],
  );
}

async function find(client: Client, condition: string, values: readonly unknown[]): Promise<Schedule[]> {
  const { rows } = await client.query<ScheduleRow>(
    `select ${selectedColumns} from deployment_schedules where ${condition}`,
    [...values],
  );
  return rows.map((row) => toSchedule(row));
}

const schedulesPerBatch = 250;

/** Like `find`, but reads and converts in batches between which other requests run. */
async function findMany<Row extends ScheduleRow>(
  pool: Pool,
  columns: string,
  condition: string,
  values: readonly unknown[],
): Promise<ReturnType<typeof toSchedule<Row>>[]> {
  return inTransaction(pool, async (client) => {
    await client.query(
      `declare result no scroll cursor for select ${columns} from deployment_schedules where ${condition}`,
      [...values],
    );
    const schedules: ReturnType<typeof toSchedule<Row>>[] = [];
    for (;;) {
      const { rows } = await client.query<Row>(`fetch ${schedulesPerBatch} from result`);
      schedules.push(...rows.map((row) => toSchedule(row)));
      if (rows.length < schedulesPerBatch) return schedules;
    }
  });
}

/** Returns the columns of the content, and the values as one JSON parameter. */
function toColumns(content: ScheduleContent): { columns: string; json: string } {
  const values = Object.entries(content).map(([field, value]) => [toColumn(field), value]);
  return { columns: values.map(([column]) => column).join(', '), json: JSON.stringify(Object.fromEntries(values)) };
}

function requireRow<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the statement returned no row');
  return value;
}

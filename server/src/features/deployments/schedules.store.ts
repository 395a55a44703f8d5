import type { Schedule, ScheduleChange } from '@portal/contract/deployments';
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';

/** A schedule without what the save itself gives it. */
export type ScheduleContent = Omit<Schedule, 'id' | 'scheduleStatus' | 'portalUser' | 'revision' | 'updatedAt'>;

export interface Save {
  readonly by: string;
  readonly changes: ScheduleChange['changes'];
  readonly requestKey?: string | undefined;
}

const instant = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const contentColumns = `environment, deployment_date, team, jira_project, app_ids, app_names, app_schemas, release_name,
  release_group, release_tag, release_description, instructions, data_source`;
const contentOf = (content: ScheduleContent) => [
  content.environment,
  content.deploymentDate,
  content.team,
  content.jiraProject,
  content.appIds,
  content.appNames,
  content.appSchemas,
  content.releaseName,
  content.releaseGroup,
  content.releaseTag,
  content.releaseDescription,
  content.instructions,
  content.dataSource,
];

/** Written as JSON each; the latest date first. All of them without a `limit`. */
export async function listWritten(pool: Pool, environment: string, limit?: number): Promise<string[]> {
  const { rows } = await pool.query<[string]>({
    text: `select written::text from deployment_schedules where environment = $1
           order by deployment_date desc, deployment_schedules.id desc limit $2`,
    values: [environment, limit ?? null],
    rowMode: 'array',
  });
  return rows.map(([written]) => written);
}

/** Those of the environment that are not resolved, between two instants; the earliest first. */
export async function listOpenBetween(pool: Pool, environment: string, from: Date, to: Date): Promise<Schedule[]> {
  return find(
    pool,
    `environment = $1 and status = 'MERGE' and deployment_date between $2 and $3 order by deployment_date, id`,
    [environment, from, to],
  );
}

/** All from an instant on, resolved ones too; the earliest first. */
export async function listSince(pool: Pool, environment: string, from: Date): Promise<Schedule[]> {
  return find(pool, 'environment = $1 and deployment_date >= $2 order by deployment_date, id', [environment, from]);
}

export async function findSchedule(pool: Pool, environment: string, id: string): Promise<Schedule | undefined> {
  // No other text is the number of a schedule, nor could the database read it as one.
  if (!/^\d{1,18}$/.test(id)) return undefined;
  const [found] = await find(pool, 'environment = $1 AND id = $2', [environment, id]);
  return found;
}

/** The schedule that was saved under this key. */
export async function findByRequestKey(pool: Pool, environment: string, key: string): Promise<Schedule | undefined> {
  const [found] = await find(
    pool,
    'id = (select schedule_id from deployment_saves where environment = $1 and request_key = $2)',
    [environment, key],
  );
  return found;
}

export async function createSchedule(pool: Pool, content: ScheduleContent, save: Save): Promise<Schedule> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ schedule: Schedule }>(
      `insert into deployment_schedules (${contentColumns}, status, portal_user, revision, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'MERGE', $14, 1, now())
       returning written as schedule`,
      [...contentOf(content), save.by],
    );
    const created = required(rows[0]?.schedule);
    await addSave(client, created, 'created', save);
    return created;
  });
}

/** Undefined when it is no longer as `seen`. */
export async function updateSchedule(
  pool: Pool,
  seen: Pick<Schedule, 'id' | 'revision'>,
  content: ScheduleContent,
  save: Save,
): Promise<Schedule | undefined> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ schedule: Schedule }>(
      `update deployment_schedules set (${contentColumns}, portal_user, revision, updated_at) =
         ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, revision + 1, now())
       where environment = $1 and id = $15 and revision = $16 and status = 'MERGE' returning written as schedule`,
      [...contentOf(content), save.by, seen.id, seen.revision],
    );
    const updated = rows[0]?.schedule;
    if (updated) await addSave(client, updated, 'updated', save);
    return updated;
  });
}

/** Undefined when it is no longer as `seen`. */
export async function endSchedule(
  pool: Pool,
  seen: Pick<Schedule, 'id' | 'revision' | 'environment'>,
  save: Save,
): Promise<Schedule | undefined> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ schedule: Schedule }>(
      `update deployment_schedules set status = 'RESOLVED', portal_user = $1, revision = revision + 1, updated_at = now()
       where environment = $2 and id = $3 and revision = $4 and status = 'MERGE' returning written as schedule`,
      [save.by, seen.environment, seen.id, seen.revision],
    );
    const ended = rows[0]?.schedule;
    if (ended) await addSave(client, ended, 'resolved', save);
    return ended;
  });
}

/** Newest first. */
export async function listSaves(pool: Pool, scheduleId: string): Promise<ScheduleChange[]> {
  const { rows } = await pool.query<ScheduleChange>(
    `select revision, ${instant('at')} as at, saved_by as by, kind, changes from deployment_saves
     where schedule_id = $1 order by revision desc`,
    [scheduleId],
  );
  return rows;
}

type Client = Pick<Pool, 'query'>;

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
  const { rows } = await client.query<{ schedule: Schedule }>(
    `select written as schedule from deployment_schedules where ${condition}`,
    [...values],
  );
  return rows.map((row) => row.schedule);
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('insert … returning answered no row.');
  return value;
}

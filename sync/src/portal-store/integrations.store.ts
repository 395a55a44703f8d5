import { type SyncConfig, syncConfigSchema } from '@portal/contract/sync-config';
import type { SyncStatus } from '@portal/contract/sync-integration';
import type { Pool, PoolClient } from '@portal/kit/postgres/pool';
import { figuresSchema } from '../integration/figures.ts';
import type { StoredIntegration } from '../integration/integration.ts';

interface Row {
  readonly no: string;
  readonly environment: string;
  readonly app_id: string;
  readonly app_name: string;
  readonly data_source: string;
  readonly config: unknown;
  readonly config_no: number;
  readonly status: SyncStatus;
  readonly halt_reason: string | null;
  readonly halted_since: Date | null;
  readonly changed_at: Date;
  readonly changed_by: string;
  readonly figures: unknown;
}

const select = `
  select i.no, i.environment, i.app_id, i.app_name, i.data_source, i.config, i.config_no, i.status, i.halt_reason,
         i.halted_since, i.changed_at, i.changed_by, f.figures
  from sync.integration i left join sync.figures f on f.integration_no = i.no`;

export async function listIntegrations(pool: Pool, environment: string): Promise<StoredIntegration[]> {
  const { rows } = await pool.query<Row>(`${select} where i.environment = $1 order by i.app_name, i.no`, [environment]);
  return rows.map(fromRow);
}

export async function findIntegration(
  pool: Pool,
  environment: string,
  appId: string,
): Promise<StoredIntegration | undefined> {
  const { rows } = await pool.query<Row>(`${select} where i.environment = $1 and i.app_id = $2`, [environment, appId]);
  return rows.map(fromRow)[0];
}

export async function readIntegration(pool: Pool, no: string): Promise<StoredIntegration | undefined> {
  const { rows } = await pool.query<Row>(`${select} where i.no = $1`, [no]);
  return rows.map(fromRow)[0];
}

/** Sealed as it was stored. */
export async function readSealedPassword(pool: Pool, no: string): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ journey_password: Buffer }>(
    'select journey_password from sync.integration where no = $1',
    [no],
  );
  return rows[0]?.journey_password;
}

export interface NewIntegration {
  readonly environment: string;
  readonly appId: string;
  readonly appName: string;
  readonly dataSource: string;
  readonly config: SyncConfig;
  readonly sealedPassword: Buffer;
  readonly by: string;
}

/** Answers its `no`, or undefined when the app has one already, even one that was made in this very moment. */
export async function insertIntegration(client: PoolClient, of: NewIntegration): Promise<string | undefined> {
  const { rows } = await client.query<{ no: string }>(
    `with made as (
       insert into sync.integration
         (environment, app_id, app_name, data_source, config, journey_password, status, changed_at, changed_by)
       values ($1, $2, $3, $4, $5, $6, $7, date_trunc('milliseconds', clock_timestamp()), $8)
       on conflict on constraint integration_once_per_app do nothing
       returning no
     ), lease as (insert into sync.lease (integration_no) select no from made
     ), head as (insert into sync.log_head (integration_no) select no from made
     )
     select no from made`,
    [
      of.environment,
      of.appId,
      of.appName,
      of.dataSource,
      JSON.stringify(withoutPassword(of.config)),
      of.sealedPassword,
      of.config.enabled ? 'Enabled' : 'Disabled',
      of.by,
    ],
  );
  return rows[0]?.no;
}

export interface SavedIntegration extends Omit<NewIntegration, 'environment' | 'appId' | 'sealedPassword'> {
  readonly no: string;
  /** Left out: the stored one stays. */
  readonly sealedPassword?: Buffer;
}

/** Its status is for `changeStatus`. */
export async function updateIntegration(client: PoolClient, of: SavedIntegration): Promise<void> {
  await client.query(
    `update sync.integration
     set app_name = $2, data_source = $3, config = $4, config_no = config_no + 1,
         journey_password = coalesce($5, journey_password), changed_by = $6,
         changed_at = greatest(date_trunc('milliseconds', clock_timestamp()), changed_at + interval '1 millisecond')
     where no = $1`,
    [of.no, of.appName, of.dataSource, JSON.stringify(withoutPassword(of.config)), of.sealedPassword ?? null, of.by],
  );
}

/** With its logs, its history and its lease. */
export async function deleteIntegration(client: PoolClient, no: string): Promise<void> {
  // In the order of those who write its log, who lock this first and look at the integration then.
  await client.query('select from sync.log_head where integration_no = $1 for update', [no]);
  await client.query('delete from sync.integration where no = $1', [no]);
}

function withoutPassword(config: SyncConfig): SyncConfig {
  const { enabled, basedOn: _, ...rest } = config;
  const { userName } = config.journey.restAPICredentials;
  return { enabled, ...rest, journey: { ...config.journey, restAPICredentials: { userName } } };
}

function fromRow(row: Row): StoredIntegration {
  return {
    no: row.no,
    environment: row.environment,
    appId: row.app_id,
    appName: row.app_name,
    dataSource: row.data_source,
    config: { ...syncConfigSchema.parse(row.config), enabled: row.status !== 'Disabled' },
    configNo: row.config_no,
    status: row.status,
    haltReason: row.halt_reason,
    haltedSince: row.halted_since?.toISOString() ?? null,
    changedAt: row.changed_at.toISOString(),
    changedBy: row.changed_by,
    figures: figuresSchema.parse(row.figures ?? {}),
  };
}

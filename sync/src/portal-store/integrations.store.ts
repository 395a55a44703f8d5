import { type SyncConfig, syncConfigSchema } from '@portal/contract/sync/config';
import type { SyncStatus } from '@portal/contract/sync/integration';
import type { Pool, PoolClient } from '@portal/kit/postgres/pool';
import { figuresSchema } from '../integration/figures.ts';
import type { StoredIntegration } from '../integration/integration.ts';

interface Row {
  readonly id: string;
  readonly environment: string;
  readonly app_id: string;
  readonly app_name: string;
  readonly data_source: string;
  readonly config: unknown;
  readonly config_version: number;
  readonly status: SyncStatus;
  readonly halt_reason: string | null;
  readonly halted_since: Date | null;
  readonly changed_at: Date;
  readonly changed_by: string;
  readonly figures: unknown;
}

const select = `
  select i.id, i.environment, i.app_id, i.app_name, i.data_source, i.config, i.config_version, i.status, i.halt_reason,
         i.halted_since, i.changed_at, i.changed_by, f.figures
  from sync.integration i left join sync.figures f on f.integration_id = i.id`;

export async function listIntegrations(pool: Pool, environment: string): Promise<StoredIntegration[]> {
  const { rows } = await pool.query<Row>(`${select} where i.environment = $1 order by i.app_name, i.id`, [environment]);
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

/** Returns those of these apps that have an integration, in no particular order. */
export async function findIntegrations(
  pool: Pool,
  environment: string,
  appIds: readonly string[],
): Promise<StoredIntegration[]> {
  const { rows } = await pool.query<Row>(`${select} where i.environment = $1 and i.app_id = any ($2)`, [
    environment,
    appIds,
  ]);
  return rows.map(fromRow);
}

export async function readIntegration(pool: Pool, id: string): Promise<StoredIntegration | undefined> {
  const { rows } = await pool.query<Row>(`${select} where i.id = $1`, [id]);
  return rows.map(fromRow)[0];
}

/** Returns the encrypted password. */
export async function readSealedPassword(pool: Pool, id: string): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ journey_password: Buffer }>(
    'select journey_password from sync.integration where id = $1',
    [id],
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

/**
 * Returns the new id, or undefined when the app already has an integration, even one created
 * concurrently.
 */
export async function insertIntegration(client: PoolClient, integration: NewIntegration): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    `with made as (
       insert into sync.integration
         (environment, app_id, app_name, data_source, config, journey_password, status, changed_at, changed_by)
       values ($1, $2, $3, $4, $5, $6, $7, date_trunc('milliseconds', clock_timestamp()), $8)
       on conflict on constraint integration_once_per_app do nothing
       returning id
     ), lease as (insert into sync.lease (integration_id) select id from made
     ), head as (insert into sync.log_head (integration_id) select id from made
     )
     select id from made`,
    [
      integration.environment,
      integration.appId,
      integration.appName,
      integration.dataSource,
      JSON.stringify(withoutPassword(integration.config)),
      integration.sealedPassword,
      integration.config.enabled ? 'Enabled' : 'Disabled',
      integration.by,
    ],
  );
  return rows[0]?.id;
}

export interface SavedIntegration extends Omit<NewIntegration, 'environment' | 'appId' | 'sealedPassword'> {
  readonly id: string;
  /** The stored password stays when this is omitted. */
  readonly sealedPassword?: Buffer;
}

/** Updates everything except the status, which `changeStatus` sets. */
export async function updateIntegration(client: PoolClient, integration: SavedIntegration): Promise<void> {
  await client.query(
    `update sync.integration
     set app_name = $2, data_source = $3, config = $4, config_version = config_version + 1,
         journey_password = coalesce($5, journey_password), changed_by = $6,
         changed_at = greatest(date_trunc('milliseconds', clock_timestamp()), changed_at + interval '1 millisecond')
     where id = $1`,
    [
      integration.id,
      integration.appName,
      integration.dataSource,
      JSON.stringify(withoutPassword(integration.config)),
      integration.sealedPassword ?? null,
      integration.by,
    ],
  );
}

/** Deletes the integration with its logs, history and lease. */
export async function deleteIntegrationRow(client: PoolClient, id: string): Promise<void> {
  // Same lock order as the log writers, which lock this row first and then read the integration.
  await client.query('select from sync.log_head where integration_id = $1 for update', [id]);
  await client.query('delete from sync.integration where id = $1', [id]);
}

function withoutPassword(config: SyncConfig): SyncConfig {
  const { enabled, basedOn: _, ...rest } = config;
  const { userName } = config.journey.restAPICredentials;
  return { enabled, ...rest, journey: { ...config.journey, restAPICredentials: { userName } } };
}

function fromRow(row: Row): StoredIntegration {
  return {
    id: row.id,
    environment: row.environment,
    appId: row.app_id,
    appName: row.app_name,
    dataSource: row.data_source,
    config: { ...syncConfigSchema.parse(row.config), enabled: row.status !== 'Disabled' },
    configVersion: row.config_version,
    status: row.status,
    haltReason: row.halt_reason,
    haltedSince: row.halted_since?.toISOString() ?? null,
    changedAt: row.changed_at.toISOString(),
    changedBy: row.changed_by,
    figures: figuresSchema.parse(row.figures ?? {}),
  };
}

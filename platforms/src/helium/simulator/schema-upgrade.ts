/**
 * What loading a new release of an app does to its schema: objects and attributes that are new get their tables and
 * columns, the tracking functions and triggers are made anew. All of it by the app's own role, and repeatable.
 */
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';
import pg from 'pg';
import { TRACKING_COLUMNS, trackingDdl, trackingFunctionsDdl } from './change-log-ddl.ts';
import type { AppDefinition } from './definition.ts';
import { tableOf } from './schema-ddl.ts';

const NEW_TABLE = 'release_note';
const NEW_COLUMN = 'reviewed_on';

/** Throws PostgreSQL's error where the role may not: a release that cannot be loaded. */
export async function upgradeSchema(pool: Pool, app: AppDefinition): Promise<void> {
  const tracked = app.objects.filter((object) => object.tracked).map((object) => tableOf(object.name));
  const script = [
    trackingFunctionsDdl(app.schemaName),
    `create table if not exists ${NEW_TABLE} (
      _id_ uuid primary key, _tstamp_ timestamp not null, body text, ${TRACKING_COLUMNS.join(', ')});`,
    ...tracked.map((table) => `alter table ${pg.escapeIdentifier(table)} add column if not exists ${NEW_COLUMN} date;`),
    ...[...tracked, NEW_TABLE].map(trackingDdl),
    `update __he_data_version__ set objects_hash = objects_hash + 1, migration_tstamp = now() at time zone 'UTC';`,
  ].join('\n');
  await inTransaction(pool, (client) => client.query(script));
}

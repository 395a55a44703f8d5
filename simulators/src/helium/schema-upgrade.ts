/**
 * Upgrades a schema as the load of a new release does: new objects and attributes get tables and
 * columns, and tracking functions and triggers are re-created. It runs as the app's own role and
 * can be repeated.
 */
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';
import pg from 'pg';
import { trackingColumns, trackingDdl, trackingFunctionsDdl } from './change-log-ddl.ts';
import type { AppDefinition } from './definition.ts';
import { getTableName } from './schema-ddl.ts';

const newTable = 'release_note';
const newColumn = 'reviewed_on';

/** Throws PostgreSQL's error when the role has no permission; the release then cannot be loaded. */
export async function upgradeSchema(pool: Pool, app: AppDefinition): Promise<void> {
  const tracked = app.objects.filter((object) => object.tracked).map((object) => getTableName(object.name));
  const script = [
    trackingFunctionsDdl(app.schemaName),
    `create table if not exists ${newTable} (
      _id_ uuid primary key, _tstamp_ timestamp not null, body text, ${trackingColumns.join(', ')});`,
    ...tracked.map((table) => `alter table ${pg.escapeIdentifier(table)} add column if not exists ${newColumn} date;`),
    ...[...tracked, newTable].map(trackingDdl),
    `insert into __he_data_version__ (objects_hash, migration_tstamp) select max(objects_hash) + 1, now() from __he_data_version__;`,
  ].join('\n');
  await inTransaction(pool, (client) => client.query(script));
}

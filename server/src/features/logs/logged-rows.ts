import { NotFound } from '@portal/kit/problems';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import { type HeliumDatabase, openHeliumDatabase } from '@portal/platforms/helium-database/database';
import pg from 'pg';
import type { ServedEnvironment } from '../../environments.ts';
import { FreshCache } from '../../fresh-cache.ts';
import type { LogRecord } from './log-chunk.ts';

export interface RowsWanted {
  /** Rows of later milliseconds. */
  readonly afterMillis: number;
  /** The newest so many of them. */
  readonly most: number;
}

/** Reads what apps have logged from their own tables, in whichever of the environment's data sources they are. */
export class LoggedRows {
  readonly #databases = new Map<string, HeliumDatabase>();
  readonly #homes = new FreshCache<HeliumDatabase>({ ttlMs: 60_000 });

  /** Oldest first. Throws NotFound when no data source has the schema, Unreachable when one cannot be asked. */
  async read(environment: ServedEnvironment, schemaName: string, wanted: RowsWanted): Promise<LogRecord[]> {
    const key = JSON.stringify([environment.name, schemaName]);
    const database = await this.#homes.get(key, () => this.#findHome(environment, schemaName));
    return readNewestRows(database, schemaName, wanted);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#databases.values()].map((database) => database.close()));
    this.#databases.clear();
  }

  async #findHome({ name, dataSources }: ServedEnvironment, schemaName: string): Promise<HeliumDatabase> {
    let problem: unknown = new NotFound(`No data source of ${name} has the schema ${schemaName}.`);
    for (const { heliumDataSourceName, url } of dataSources) {
      const database = this.#open(`${name} ${heliumDataSourceName}`, heliumDataSourceName, url.reveal());
      try {
        const schemas = await readAppSchemas(database);
        if (schemas.some((schema) => schema.schemaName === schemaName)) return database;
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }

  #open(key: string, name: string, url: string): HeliumDatabase {
    const database = this.#databases.get(key) ?? openHeliumDatabase({ name, url, maxConnections: 2 });
    this.#databases.set(key, database);
    return database;
  }
}

async function readNewestRows(database: HeliumDatabase, schemaName: string, wanted: RowsWanted): Promise<LogRecord[]> {
  const rows = await database.query<{ id: string; key: string | null; value: string | null; millis: number }>(
    `select _id_ as id, key, value, floor(extract(epoch from time) * 1000)::float8 as millis
     from (select * from ${pg.escapeIdentifier(schemaName)}.__logging_log__
           where time >= timestamp 'epoch' + $1::float8 * interval '1 millisecond'
           order by time desc, _id_ desc limit $2) as newest
     order by time, _id_`,
    [wanted.afterMillis + 1, wanted.most],
  );
  return rows.map(({ id, key, value, millis }) => ({ id, key: key ?? '', value: value ?? '', millis }));
}

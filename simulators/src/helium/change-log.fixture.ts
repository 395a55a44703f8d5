/** A schema with a few tables, for the tests of Helium's triggers. */
import { createTestDatabase } from '@portal/kit/postgres/test-database';
import pg from 'pg';
import type { AppTemplate } from './definition.ts';
import { int, none, numbered, persistentObject, string } from './model.ts';
import { schemaDdl } from './schema-ddl.ts';

const schema = 'country__app_001';

const app: AppTemplate = {
  name: 'Country App',
  schema: 'country__app',
  host: 'country',
  objects: [
    persistentObject('Shop', { rows: 0 }, { name: string(numbered('Shop ', 2)) }),
    persistentObject('Purchase', { rows: 0, toOne: { shop: 'Shop' } }, { amount: int(none) }),
    persistentObject('Cache', { rows: 0, tracked: false }, { amount: int(none) }),
  ],
  views: [],
  functions: [],
  chatter: [],
};

interface LogEntry {
  readonly seq: number;
  readonly change: string;
  readonly table: string;
  readonly id: string;
  readonly txId: string;
}

export interface ChangeLogFixture {
  /** A superuser's connection with the schema first in the search path. */
  readonly url: string;
  readonly client: pg.Client;
  /** Another session on the same schema. */
  connect(): Promise<pg.Client>;
  /** Everything logged, by number. */
  log(): Promise<LogEntry[]>;
  /** Empties the tables and the log. */
  clear(): Promise<void>;
  drop(): Promise<void>;
}

export async function createChangeLogFixture(): Promise<ChangeLogFixture> {
  const database = await createTestDatabase();
  const url = `${database.url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
  const sessions: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client(url);
    await client.connect();
    sessions.push(client);
    return client;
  };
  const client = await connect();
  await client.query(`create schema ${schema}; ${schemaDdl(app, schema)}`);
  return {
    url,
    client,
    connect,
    async log() {
      const { rows } = await client.query<Omit<LogEntry, 'seq'> & { seq: string }>(
        `select seq, change, object_name as table, object_uuid as id, tx_id as "txId" from __he_sync_obj_change__ order by seq`,
      );
      return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
    },
    async clear() {
      await client.query('truncate shop, purchase, cache, __he_sync_obj_change__');
    },
    async drop() {
      for (const session of sessions) await session.end();
      await database.drop();
    },
  };
}

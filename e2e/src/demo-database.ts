/** The Helium database of a demo app, as its superuser accesses it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClient } from '@portal/kit/postgres/pool';
import { definitions } from '@portal/simulators/helium/definitions';

interface DemoDatabase {
  readonly url: string;
  readonly app: (typeof definitions)[number]['apps'][number];
}

export async function findDemoDatabase(stateDir: string, environment: string, appName: string): Promise<DemoDatabase> {
  const app = definitions.find(({ name }) => name === environment)?.apps.find(({ name }) => name === appName);
  if (!app) throw new Error(`There is no app ${appName} in ${environment}.`);
  return { url: await findDatabase(stateDir, app.schemaName), app };
}

/** Locks a row, as a form does that is open. Returns a function that ends the transaction. */
export async function lockRow(
  { url, app }: DemoDatabase,
  { table, id }: { readonly table: string; readonly id: string },
): Promise<() => Promise<void>> {
  const { promise: isReleased, resolve: release } = createDeferred();
  const { promise: isLocked, resolve: onLocked } = createDeferred();
  const ended = withClient({ connectionString: url, application_name: 'stock-form' }, async (client) => {
    await client.query('begin');
    await client.query(`select from ${app.schemaName}.${table} where _id_ = $1 for update`, [id]);
    onLocked();
    await isReleased;
  });
  await Promise.race([isLocked, ended]);
  return async () => {
    release();
    await ended;
  };
}

function createDeferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}

async function findDatabase(stateDir: string, schemaName: string): Promise<string> {
  const password = readFileSync(join(stateDir, 'postgres', 'password'), 'utf8').trim();
  const { postgres: port } = JSON.parse(readFileSync(join(stateDir, 'ports.json'), 'utf8'));
  const urlOf = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const names = await withClient({ connectionString: urlOf('postgres') }, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where datname not like 'template%'",
    );
    return rows.map(({ datname }) => datname);
  });
  for (const name of names) {
    const isHere = await withClient({ connectionString: urlOf(name) }, async (client) => {
      const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schemaName]);
      return rowCount === 1;
    });
    if (isHere) return urlOf(name);
  }
  throw new Error(`No database has the schema ${schemaName}.`);
}

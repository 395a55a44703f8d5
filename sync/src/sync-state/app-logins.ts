/**
 * Prepares the state for apps with a login of their own each. The granting login owns it; the login
 * of an app may read and change the rows of its own app, and the reading login sees what a watch
 * needs. See docs/decisions/0027-each-app-has-a-login.md.
 */

import { Slots } from '@portal/kit/concurrency/slots';
import type { Pool } from '@portal/kit/postgres/pool';
import { portalMark } from '@portal/kit/postgres/portal-mark';
import { NotFound, Unreachable } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import { type AppLogin, deriveAppLogin, deriveStateRole } from '@portal/platforms/helium-database/logins/app-login';
import { isAppLoginPrepared, prepareAppLogin } from '@portal/platforms/helium-database/logins/prepare-app-login';
import { openGranting, withGranting } from '@portal/platforms/helium-database/logins/with-granting';
import type { Db } from '../helium/helium-gateway.ts';
import { lockTimeoutMs } from '../helium/limit-waits.ts';
import { preparedQuery } from '../helium/prepared-query.ts';
import { changeSequence, qualified, quote } from '../helium/sql-names.ts';
import type { StateOfApp } from '../integration/state-key.ts';
import { createRun, giveRun } from './runs.store.ts';
import { hasState, prepareState } from './schema.ts';

export interface AppLoginsOptions {
  /** The display name of the data source. */
  readonly dataSource: string;
  readonly url: string;
  readonly grantUrl: string;
  readonly key: Secret;
  /** Connects as the reading login. */
  readonly reading: Pool;
}

/** What of the state an app may not touch: which row belongs to whom. */
const fixedColumns: ReadonlySet<string> = new Set(['state_id', 'state_key', 'login']);

/** The state of an integration may have many rows to delete. */
const statementTimeoutMs = 60_000;

/** Of these the reading login sees all rows. */
const watchedTables = ['run', 'dirty'];

/** The logins of the apps in one data source. */
export class AppLogins {
  readonly #options: AppLoginsOptions;
  readonly #owner: string;
  readonly #reader: string;
  readonly #stateRole: string;
  /** PostgreSQL rejects simultaneous changes of the same role. */
  readonly #turns = new Slots(1);
  /**
   * Used in turn: thousands of apps may start for the first time one after another. So an app may
   * not keep it waiting for a lock.
   */
  readonly #granting: Pool;

  constructor(options: AppLoginsOptions) {
    this.#options = options;
    this.#granting = openGranting({ ...options, statementTimeoutMs, lockTimeoutMs });
    this.#owner = toUser(options.grantUrl);
    this.#reader = toUser(options.url);
    this.#stateRole = deriveStateRole(options.key, options.url);
  }

  /** Connects as the login of an app, which `prepareLogin` creates. */
  urlFor(schema: string): string {
    return this.#derive(schema).url;
  }

  /**
   * Throws as `prepareAppLogin` and `hasState`, and Unreachable while there is no such schema.
   */
  async prepareLogin(schema: string, isRefused = false): Promise<void> {
    const { dataSource, grantUrl, reading } = this.#options;
    const login = this.#derive(schema);
    const request = { dataSource, grantUrl, connection: this.#granting, schemaName: schema, login, isRefused };
    const query: Parameters<typeof prepareAppLogin>[0] = async (sql, parameters) =>
      (await reading.query(preparedQuery(reading, sql, parameters))).rows;
    try {
      if (!(await isAppLoginPrepared(query, request)))
        await this.#turns.run(schema, () => prepareAppLogin(query, request));
    } catch (error) {
      // As during a restore.
      throw error instanceof NotFound ? new Unreachable(error.message, { cause: error }) : error;
    }
    // Its owner may have given its tables triggers.
    await hasState(reading, this.#owner);
  }

  /** Creates what is missing of the state of an integration. Throws as `prepareLogin`. */
  async prepareState(app: StateOfApp): Promise<void> {
    const { role } = this.#derive(app.schema);
    if (!(await this.#isPrepared(app, role))) await this.#createState(app, role);
    await this.prepareLogin(app.schema);
    await this.showSequence(app.schema);
  }

  /** Another app, or process, may have created any part of it. */
  #createState(app: StateOfApp, role: string): Promise<void> {
    return this.#grant(app.schema, 'create the state of the sync', async (db) => {
      await prepareState(db, this.#owner);
      if (!(await this.#canWatch())) await grantState(db, this.#stateRole, this.#reader);
      await createRun(db, app.stateKey, app.from, role);
      await giveRun(db, app.stateKey, role);
    });
  }

  /**
   * Lets the reading login see how many numbers of the app's change log were drawn, unless it can,
   * or there is no such sequence.
   */
  async showSequence(schema: string): Promise<void> {
    const { rowCount } = await this.#options.reading.query(
      `select from pg_class c where c.relname = $2 and c.relkind = 'S'
         and c.relnamespace = (select oid from pg_namespace where nspname = $1)
         and not has_sequence_privilege(c.oid, 'select')`,
      [schema, changeSequence],
    );
    if (rowCount === 0) return;
    await this.#grant(schema, `grant rights on ${qualified(schema, changeSequence)}`, async (db) => {
      await db.query(`grant select on sequence ${qualified(schema, changeSequence)} to ${quote(this.#reader)}`);
    });
  }

  /** Runs the work as the owner of the state. It must touch no relation of an app. */
  asOwner<T>(what: string, work: (owner: Pool) => Promise<T>): Promise<T> {
    return withGranting({ ...this.#options, statementTimeoutMs }, what, work);
  }

  close(): Promise<void> {
    return this.#granting.end();
  }

  /** Runs short work in turn on the connection for it. */
  #grant(schema: string, what: string, work: (owner: Pool) => Promise<void>): Promise<void> {
    return this.#turns.run(schema, () => withGranting({ ...this.#options, connection: this.#granting }, what, work));
  }

  async #isPrepared({ stateKey }: StateOfApp, role: string): Promise<boolean> {
    const { reading } = this.#options;
    if (!(await hasState(reading, this.#owner)) || !(await this.#canWatch())) return false;
    const { rowCount } = await reading.query('select from __portal_sync__.run where state_key = $1 and login = $2', [
      stateKey,
      role,
    ]);
    return rowCount === 1;
  }

  /** Whether all rights on the state are granted: those of the reading login are the last. */
  async #canWatch(): Promise<boolean> {
    const { rows } = await this.#options.reading.query<{ canWatch: boolean }>(
      `select has_schema_privilege(n.oid, 'usage') and exists (select from pg_roles where rolname = $2)
         and (select bool_and(has_table_privilege(c.oid, 'select')) from pg_class c
           where c.relnamespace = n.oid and c.relname = any ($1)) as "canWatch"
       from pg_namespace n where n.nspname = '__portal_sync__'`,
      [watchedTables, this.#stateRole],
    );
    return rows[0]?.canWatch === true;
  }

  #derive(schema: string): AppLogin {
    return deriveAppLogin(this.#options.key, this.#options.url, schema);
  }
}

/**
 * The rights to change are those of columns: who has them on a whole table may also lock it.
 * What identifies a row across all apps is given by the database.
 */
async function grantState(db: Db, stateRole: string, reader: string): Promise<void> {
  const { rows: roles } = await db.query('select from pg_roles where rolname = $1', [stateRole]);
  const { rows: tables } = await db.query<{ name: string; columns: { name: string; isIdentity: boolean }[] }>(
    `select c.relname as name, json_agg(json_build_object('name', a.attname, 'isIdentity', a.attidentity <> '')) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind = 'r' and c.relnamespace = (select oid from pg_namespace where nspname = '__portal_sync__')
     group by c.relname`,
  );
  const { rows: policies } = await db.query<{ table: string }>(
    `select tablename as table from pg_policies where schemaname = '__portal_sync__' and $1 = any (roles)`,
    [reader],
  );
  const [group, reading] = [quote(stateRole), quote(reader)];
  const table = (name: string) => `__portal_sync__.${quote(name)}`;
  const statements = [
    ...(roles.length === 0 ? [`create role ${group} nologin`] : []),
    `grant usage on schema __portal_sync__ to ${group}, ${reading}`,
    `grant usage on sequence __portal_sync__.dirty_mark to ${group}`,
    `grant execute on all functions in schema __portal_sync__ to ${group}`,
    ...tables.flatMap(({ name, columns }) => {
      const list = (all: typeof columns) => all.map((column) => quote(column.name)).join(', ');
      const updated = list(columns.filter((column) => !column.isIdentity && !fixedColumns.has(column.name)));
      const inserted = list(columns.filter((column) => !column.isIdentity));
      const rights = [`select`, `update (${updated})`, ...(name === 'run' ? [] : [`insert (${inserted})`])];
      return [`grant ${rights.join(', ')} on ${table(name)} to ${group}`];
    }),
    ...watchedTables.map((name) => `grant select on ${table(name)} to ${reading}`),
    ...watchedTables
      .filter((name) => !policies.some((policy) => policy.table === name))
      .map(
        (name) =>
          `create policy ${quote(`watch by ${reader}`.slice(0, 60))} on ${table(name)} for select to ${reading} using (true)`,
      ),
  ];
  await db.query(statements.map((statement) => `${statement} ${portalMark}`).join(';\n'));
}

function toUser(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

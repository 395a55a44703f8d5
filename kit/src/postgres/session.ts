/**
 * Settings that hold for what a connection sends, also behind a pooler such as pgbouncer in
 * transaction mode. There, a connection is no session of the server: each transaction runs in
 * another one, which belongs to strangers before and afterwards. So the settings go with each
 * transaction, statements have no names, and nothing outlives a transaction.
 */
import pg from 'pg';
import type { Logger } from '../logger.ts';
import { type Pooled, readPooled } from './pooled-setting.ts';
import { withComment } from './portal-mark.ts';

/** By name: `{ statement_timeout: 15_000 }`. */
export type Settings = Readonly<Record<string, string | number>>;

export interface SessionOptions {
  /** Whether the connections are those of a pooler. */
  readonly pooled: Pooled;
  /** Hold for every statement. */
  readonly settings: Settings;
  /**
   * Settings of the network connection, which is the pooler's own where there is one. Those that
   * the server does not have are skipped.
   */
  readonly connectionSettings?: Settings;
  /** Is appended to every statement, such as `/* portal *\/`. */
  readonly comment?: string | undefined;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
}

/** duplicate_prepared_statement, invalid_sql_statement_name. */
const nameCodes: ReadonlySet<unknown> = new Set(['42P05', '26000']);

/**
 * Returns whether the error shows that a name of a prepared statement belongs to another session: a
 * pooler was not recognized before. The pool uses no names afterwards, so the same query succeeds.
 */
export function isLostName(error: unknown): boolean {
  return error instanceof pg.DatabaseError && nameCodes.has(error.code);
}

/** What DISCARD ALL does, without the plans: the driver knows the names of its statements. */
const resetSql = ['close all', 'set session authorization default', 'reset all', 'unlisten *']
  .concat('select pg_catalog.pg_advisory_unlock_all()', 'discard temp', 'discard sequences')
  .join('; ');

const resets = new WeakMap<object, () => Promise<unknown>>();

/**
 * Brings the session of a connection back to what it was when it was opened: settings, role, locks,
 * temporary tables. Takes one message. Behind a pooler it does nothing: there, the settings go with
 * each transaction.
 */
export async function resetSession(client: object): Promise<void> {
  await resets.get(client)?.();
}

/** Connections to a process of the server, with no pooler of any kind in between. */
const direct = new WeakSet<object>();

/**
 * Returns the process that serves a connection of a pool; undefined behind a pooler, which makes
 * one up.
 */
export function getServerProcess(client: pg.ClientBase): number | undefined {
  return direct.has(client) ? readKey(client)?.processId : undefined;
}

/** Prepares the new connections of a pool. */
export class Sessions {
  readonly #options: SessionOptions;
  readonly #sessions = new Set<pg.Client>();
  #isShared: boolean;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#isShared = options.pooled === 'yes';
  }

  /**
   * Sets up a new connection. Unless `pooled` states it, it is a session of its own if the process
   * id from when it connected is that of the process that answers; a pooler makes one up.
   */
  async prepare(client: pg.ClientBase): Promise<void> {
    if (!(client instanceof pg.Client)) throw new Error('The connection is not of this driver.');
    if (this.#options.comment) sendWithComment(client.connection, this.#options.comment);
    if (this.#isShared || !(await this.#setForSession(client))) return sendPerTransaction(client, this.#options);
    this.#sessions.add(client);
    const reset = `${resetSql}; ${toSetSql({ ...this.#options.connectionSettings, ...this.#options.settings })}`;
    resets.set(client, async () => {
      if (!this.#isShared) await client.query(reset);
    });
    client.once('end', () => this.#sessions.delete(client));
    client.connection.on('errorMessage', (error: unknown) => {
      if (isLostName(error)) this.#giveUpSessions();
    });
  }

  /** Returns false, and sets nothing, if the connection is not a session of its own. */
  async #setForSession(client: pg.Client): Promise<boolean> {
    const { pooled, settings, connectionSettings } = this.#options;
    const entries = Object.entries({ ...connectionSettings, ...settings });
    const { rows } = await client.query<{ isOwn: boolean }>(
      `select pg_backend_pid() = $3 as "isOwn", set_config(name, value, false) from unnest($1::text[], $2::text[]) as setting(name, value)
       where ($4 or pg_backend_pid() = $3) and current_setting(name, true) is not null`,
      [
        entries.map(([name]) => name),
        entries.map(([, value]) => String(value)),
        readKey(client)?.processId,
        pooled === 'no',
      ],
    );
    if (rows[0]?.isOwn) direct.add(client);
    return rows.length > 0;
  }

  #giveUpSessions(): void {
    if (this.#isShared) return;
    this.#isShared = true;
    for (const client of this.#sessions) sendPerTransaction(client, this.#options);
    this.#sessions.clear();
    this.#options.logger?.warn('the database is behind a pooler: no prepared statements are used any more');
  }
}

/**
 * Returns whether a connection is a session of its own, as opposed to one through a pooler, which
 * delivers no notifications and shares settings with strangers.
 *
 * @param address of the connection, which may state that
 */
export async function isOwnSession(client: pg.ClientBase, address: string): Promise<boolean> {
  const pooled = readPooled(address);
  if (pooled !== 'auto') return pooled === 'no';
  const { rowCount } = await client.query('select where pg_backend_pid() = $1', [readKey(client)?.processId]);
  return rowCount !== 0;
}

/** Identifies the running statement of a connection to the server or its pooler. */
export interface BackendKey {
  readonly processId: number;
  readonly secret: number;
}

/** Returns the key that the connection received; undefined for a server that sends none. */
export function readKey(client: pg.ClientBase): BackendKey | undefined {
  const { processID: processId, secretKey: secret } = { processID: null, secretKey: null, ...client };
  return typeof processId === 'number' && typeof secret === 'number' ? { processId, secret } : undefined;
}

/** Sets those that the server has. */
function toSetSql(settings: Settings): string {
  const values = Object.entries(settings).map(
    (each) => `(${each.map((one) => pg.escapeLiteral(String(one))).join(', ')})`,
  );
  return `select pg_catalog.set_config(name, value, false) from (values ${values.join(', ')}) as setting (name, value)
    where pg_catalog.current_setting(name, true) is not null`;
}

/** Makes the connection append the comment to each statement. */
function sendWithComment(connection: pg.Connection, comment: string): void {
  const query = connection.query.bind(connection);
  const parse = connection.parse.bind(connection);
  Object.assign(connection, {
    query: (text: string) => query(withComment(text, comment)),
    parse: (statement: pg.QueryParse, more: boolean) =>
      parse({ ...statement, text: withComment(statement.text, comment) }, more),
  });
}

/**
 * Makes the connection send the settings before each transaction, together with its first statement
 * and without waiting for a response, and all statements without names.
 */
function sendPerTransaction(client: pg.Client, { settings, comment = '' }: SessionOptions): void {
  const { connection } = client;
  const query = connection.query.bind(connection);
  const parse = connection.parse.bind(connection);
  const entries = Object.entries(settings).map(([name, value]) => [name, pg.escapeLiteral(String(value))]);
  // A function would take a snapshot, after which a transaction cannot change its isolation level.
  const statements = entries.map(([name, value]) => `set local ${name} = ${value} ${comment}; `).join('');
  // As a single statement, SET LOCAL would be answered with a warning.
  const call = `select ${entries.map(([name, value]) => `set_config('${name}', ${value}, true)`).join(', ')}`;
  const results = new HiddenResults(connection);
  const isInTransaction = () => client.getTransactionStatus() !== 'I';
  Object.assign(connection, {
    query(text: string) {
      if (isInTransaction()) return query(text);
      results.hide(entries.length);
      query(statements + text);
    },
    parse(statement: pg.QueryParse, more: boolean) {
      if (!isInTransaction()) {
        results.hide(1);
        parse({ name: '', text: call, types: [] }, true);
        connection.bind({}, true);
        connection.execute({}, true);
      }
      parse(statement, more);
    },
  });
  const send: (...query: unknown[]) => unknown = client.query.bind(client);
  Object.assign(client, { query: (first: unknown, ...rest: unknown[]) => send(withoutName(first), ...rest) });
}

function withoutName(query: unknown): unknown {
  return typeof query === 'object' && query !== null && 'name' in query ? { ...query, name: undefined } : query;
}

/** Hides the results of statements that no caller of the driver has sent. */
class HiddenResults {
  #count = 0;

  constructor(connection: pg.Connection) {
    const emit = connection.emit.bind(connection);
    Object.assign(connection, {
      emit: (event: string, ...values: unknown[]) => {
        if (this.#count > 0) {
          if (event === 'commandComplete') this.#count -= 1;
          else if (event === 'errorMessage' || event === 'readyForQuery') this.#count = 0;
          if (event === 'commandComplete' || event === 'dataRow') return true;
        }
        return emit(event, ...values);
      },
    });
  }

  hide(count: number): void {
    this.#count = count;
  }
}

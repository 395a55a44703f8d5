/**
 * Notices that rows of some tables may have changed. Unlike a reader of the change log it does not
 * wait for open transactions, so it cannot say which rows changed: the caller reads what it needs.
 *
 * A change is visible after a check, or its transaction is one of the writers of that check: it
 * locks its table before it draws a number, and the writers are read after the head. When a writer
 * has finished, its entry may be older than the head.
 */
import type { Pool } from '@portal/kit/postgres/pool';
import { changeLog, qualified } from './sql-names.ts';

/** $1 are names of tables with their schema. Writers are virtual transactions. */
const checkSql = (log: string) => `
  select (select coalesce(max(seq), 0)::text from ${log}) as head,
    array(select distinct l.virtualtransaction from pg_locks l
      where l.granted and l.mode = 'RowExclusiveLock' and l.locktype = 'relation'
        and l.database = (select oid from pg_database where datname = current_database())
        and l.relation = any(array(select to_regclass(name)::oid from unnest($1::text[]) name))) as writers`;

interface Check {
  /** Highest visible number of the log. */
  readonly head: string;
  readonly writers: readonly string[];
}

export class TableChanges {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #tables: readonly string[];
  #last: Check | null = null;

  constructor(pool: Pool, schema: string, tables: readonly string[]) {
    this.#pool = pool;
    this.#schema = schema;
    this.#tables = tables;
  }

  /** Whether transactions that may have changed the tables were open at the last check. */
  get hasWriters(): boolean {
    return this.#last !== null && this.#last.writers.length > 0;
  }

  /** Returns whether rows may have changed since the last check; true at first. */
  async check(): Promise<boolean> {
    const last = this.#last;
    const log = qualified(this.#schema, changeLog);
    const names = this.#tables.map((table) => qualified(this.#schema, table));
    const { rows } = await this.#pool.query<Check>(checkSql(log), [names]);
    const now = rows[0] ?? { head: '0', writers: [] };
    const hasEnded = last?.writers.some((writer) => !now.writers.includes(writer)) ?? true;
    const hasChanged = hasEnded || (last !== null && now.head !== last.head && (await this.#isLogged(last.head)));
    this.#last = now;
    return hasChanged;
  }

  /** Counts the next check as the first. Call it when the changes could not be handled. */
  reset(): void {
    this.#last = null;
  }

  /** A later statement than the check, so that it sees whatever had finished by then. */
  async #isLogged(head: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `select from ${qualified(this.#schema, changeLog)} where seq > $1 and object_name = any($2) limit 1`,
      [head, this.#tables],
    );
    return rowCount === 1;
  }
}

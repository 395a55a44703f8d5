/** Copies of schemas and their restore, as a database's operator would do it with a backup. */
import type { ClientBase } from 'pg';

type Db = Pick<ClientBase, 'query'>;

export interface SchemaCopy {
  /** The rows of each table as JSON text, so that no number loses digits. */
  readonly tables: readonly { readonly name: string; readonly rows: string }[];
  readonly sequences: readonly SequenceCopy[];
}

interface SequenceCopy {
  readonly name: string;
  readonly lastValue: string;
  readonly isCalled: boolean;
}

/** Copies all rows and sequences of these schemas, by name. Call it in a repeatable read. */
export async function takeSchemaCopy(db: Db, schemas: readonly string[]): Promise<SchemaCopy> {
  const { rows: relations } = await db.query<{ name: string; kind: 'r' | 'S' }>(
    `select c.oid::regclass::text as name, c.relkind as kind from pg_class c
     where c.relnamespace = any (select oid from pg_namespace where nspname = any($1)) and c.relkind in ('r', 'S')
     order by c.oid`,
    [schemas],
  );
  const tables: { name: string; rows: string }[] = [];
  const sequences: SequenceCopy[] = [];
  for (const { name, kind } of relations) {
    if (kind === 'r') {
      const { rows } = await db.query(`select coalesce(jsonb_agg(t), '[]')::text as rows from only ${name} t`);
      tables.push({ name, rows: rows[0]?.rows ?? '[]' });
    } else {
      const { rows } = await db.query(`select last_value::text as "lastValue", is_called as "isCalled" from ${name}`);
      sequences.push({ name, lastValue: rows[0]?.lastValue ?? '1', isCalled: rows[0]?.isCalled ?? false });
    }
  }
  return { tables, sequences };
}

/** Returns the part of a copy whose tables and sequences, with their schema's name, are wanted. */
export function selectFromCopy(copy: SchemaCopy, isWanted: (name: string) => boolean): SchemaCopy {
  return {
    tables: copy.tables.filter(({ name }) => isWanted(name)),
    sequences: copy.sequences.filter(({ name }) => isWanted(name)),
  };
}

/** Replaces all rows, without triggers, and all sequences. Call it in a transaction. */
export async function restoreSchemaCopy(db: Db, { tables, sequences }: SchemaCopy): Promise<void> {
  // A row that another transaction has not committed yet would survive, with a number that is given
  // out again.
  const names = tables.map(({ name }) => name).join(', ');
  // In a deadlock, PostgreSQL aborts the transaction whose timeout ends first: not this one.
  await db.query(`set local deadlock_timeout = '1min'`);
  if (names !== '') await db.query(`lock table ${names} in share row exclusive mode`);
  await db.query('set local session_replication_role = replica');
  for (const { name } of tables) await db.query(`delete from only ${name}`);
  for (const { name, rows } of tables)
    await db.query(
      `insert into ${name} overriding system value select * from jsonb_populate_recordset(null::${name}, $1)`,
      [rows],
    );
  for (const { name, lastValue, isCalled } of sequences)
    await db.query('select setval($1, $2, $3)', [name, lastValue, isCalled]);
  await db.query('set local session_replication_role = origin');
}

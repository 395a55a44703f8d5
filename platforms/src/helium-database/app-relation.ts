/**
 * Reads relations of an app. Everything that reads one goes through here: the relation belongs to
 * the app's owner, who may have put something else in its place.
 */
import { Conflict } from '@portal/kit/problems';
import type pg from 'pg';
import type { HeliumDatabase } from './database.ts';
import { hidesRowsSql } from './helium-objects.ts';
import type { Transaction, TransactionOptions } from './transaction.ts';

export interface AppRelation {
  readonly schemaName: string;
  readonly name: string;
  /** Default: a table, as Helium creates them. */
  readonly kinds?: readonly RelationKind[];
}

type RelationKind = 'table' | 'partitioned table' | 'materialized view';

/**
 * Runs the work in a read-only transaction with the rights of the app's owner, after checking what
 * the relation is. Throws Conflict when it is something else than Helium creates, or PostgreSQL's
 * `DatabaseError` of the work; a relation that does not exist is the work's to notice.
 */
export function readAppRelation<T>(
  database: HeliumDatabase,
  relation: AppRelation,
  options: Pick<TransactionOptions, 'statementTimeoutMs' | 'lockTimeoutMs'>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.asApp(relation.schemaName).transaction({ ...options, readOnly: true }, async (transaction) => {
    await requireKind(transaction, relation);
    return work(transaction);
  });
}

interface Facts extends pg.QueryResultRow {
  readonly kind: string;
  readonly hidesRows: boolean;
}

async function requireKind(
  { query }: Transaction,
  { schemaName, name, kinds = ['table'] }: AppRelation,
): Promise<void> {
  const [facts] = await query<Facts>(
    `select ${hidesRowsSql('c')} as "hidesRows",
       case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'm' then 'materialized view'
         when 'v' then 'view' when 'f' then 'foreign table' else 'relation of another kind' end as kind
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = $2`,
    [schemaName, name],
  );
  if (!facts) return;
  const problem = explainRelation(facts, kinds);
  if (problem) throw new Conflict(`${schemaName}.${name} ${problem}, so the portal does not read it.`);
}

function explainRelation({ kind, hidesRows }: Facts, kinds: readonly string[]): string | null {
  if (!kinds.includes(kind)) return `is a ${kind} and not the ${kinds[0]} that Helium creates`;
  return hidesRows ? 'hides rows with policies, which Helium does not create' : null;
}

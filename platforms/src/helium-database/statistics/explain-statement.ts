import pg from 'pg';
import type { HeliumDatabase } from '../database.ts';
import { unreachable } from '../outage.ts';
import type { Transaction } from '../transaction.ts';

export interface Explained {
  /** As EXPLAIN writes it; null where there is none, and `reason` says why. */
  readonly plan: string | null;
  readonly reason: string | null;
}

/** The first version that plans a statement without knowing what its $1 stand for. */
const leastVersion = 160_000;

/** Why a server of this version explains nothing; null when it does. */
export function explainRefusal({ versionNumber }: { readonly versionNumber: number }): string | null {
  if (versionNumber >= leastVersion) return null;
  return `A plan needs PostgreSQL 16 or later: older servers plan no statement whose values are not known. This one is ${Math.floor(versionNumber / 10_000)}.`;
}

/**
 * How the server would carry the statement out, for any values; it is never run. `text` is one the
 * server had in its statistics, `schemaName` where its names are looked for first.
 */
export async function explainText(
  database: HeliumDatabase,
  { text, schemaName }: { readonly text: string; readonly schemaName: string | null },
): Promise<Explained> {
  if (!canBeExplained(text))
    return { plan: null, reason: 'Only SELECT, INSERT, UPDATE, DELETE, MERGE, VALUES, WITH and TABLE have a plan.' };
  try {
    const options = { readOnly: true, statementTimeoutMs: 5_000, lockTimeoutMs: 1_000, dryRun: true };
    const plan = await database.transaction(options, async (transaction) => {
      if (schemaName !== null)
        await transaction.query(`select set_config('search_path', $1, true)`, [pg.escapeIdentifier(schemaName)]);
      return explainOne(transaction, `explain (generic_plan) ${text}`);
    });
    return { plan, reason: null };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    if (error.code === '57014') throw unreachable(database.name, error);
    return { plan: null, reason: `The server cannot plan it: ${error.message}.` };
  }
}

interface PlanLine {
  readonly 'QUERY PLAN': string;
}

/**
 * The extended protocol takes one statement only, so a text that was recorded under other settings
 * of strings cannot break out of its quotes and be two. But it wants values for the $1, and values
 * would make the plan theirs. So it goes first and without values: that the server asks for them
 * says that it read one statement, which is then sent plainly.
 */
async function explainOne(transaction: Transaction, text: string): Promise<string> {
  await transaction.query('savepoint before');
  const lines = await transaction
    .query<PlanLine & Record<string, string>>({ text, queryMode: 'extended' })
    .catch(async (error: unknown) => {
      if (!(error instanceof pg.DatabaseError) || error.code !== valuesWanted) throw error;
      await transaction.query('rollback to savepoint before');
      return transaction.query<PlanLine & Record<string, string>>(text);
    });
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

/** protocol_violation: "bind message supplies 0 parameters, but prepared statement requires 2". */
const valuesWanted = '08P01';

/** By its first word, behind brackets and comments. */
function canBeExplained(text: string): boolean {
  const start = text.replace(/^(?:\s|\(|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/, '');
  return /^(?:select|insert|update|delete|merge|values|with|table)\b/i.test(start);
}

import pg from 'pg';
import { toUnreachable } from '../connection-errors.ts';
import type { AppConnection } from '../database.ts';
import type { Transaction } from '../transaction.ts';
import {
  createsFromQuery,
  getPlannedText,
  hasParameters,
  hasShortenedList,
  restoreConstant,
  skipToFirstWord,
} from './restore-constants.ts';

export interface ExplainResult {
  /** The output of EXPLAIN; null when there is none, and `reason` explains why. */
  readonly plan: string | null;
  readonly reason: string | null;
  /** How the plan may differ from that of the statement as it ran; null when it does not. */
  readonly note: string | null;
}

/** The first version that can plan a statement without values for its parameters. */
const minVersion = 160_000;

/** Returns why a server of this version cannot explain statements; null when it can. */
export function explainRefusal({ versionNumber }: { readonly versionNumber: number }): string | null {
  if (versionNumber >= minVersion) return null;
  return `Plans require PostgreSQL 16 or later because older servers cannot plan a statement without its values. This server runs version ${Math.floor(versionNumber / 10_000)}.`;
}

interface RecordedText {
  readonly text: string;
  /** Whether the server still has the text. */
  readonly hasText: boolean;
  /** Whether the text lacks literals that the server recorded. */
  readonly hidesLiterals: boolean;
}

/** Returns why a statement has no plan for any role; null when it can have one. */
export function statementRefusal({ text, hasText, hidesLiterals }: RecordedText): string | null {
  if (!hasText) return 'The server has discarded the text of this statement, so it cannot plan it.';
  if (!canBeExplained(text))
    return 'Only SELECT, INSERT, UPDATE, DELETE, MERGE, VALUES, WITH, TABLE, DECLARE, and CREATE TABLE AS statements have a plan.';
  return hidesLiterals ? 'The portal hides values of this statement, so the server cannot plan it.' : null;
}

interface ExplainedText {
  readonly text: string;
  /** The schema in which names are looked up first. */
  readonly schemaName: string | null;
}

/**
 * Returns the plan the server would choose for any values. The statement never runs, but the
 * planner runs functions in it, so the connection must have no rights that the role lacks which ran
 * the statement. `text` comes from the server's statistics.
 */
export async function explainText(
  database: AppConnection,
  { text, schemaName }: ExplainedText,
): Promise<ExplainResult> {
  try {
    const options = { readOnly: true, statementTimeoutMs: 5_000, lockTimeoutMs: 1_000, dryRun: true };
    const plan = await database.transaction(options, async (transaction) => {
      if (schemaName !== null)
        await transaction.query(`select set_config('search_path', $1, true)`, [pg.escapeIdentifier(schemaName)]);
      await transaction.query('savepoint before');
      return explainRestored(transaction, `explain (generic_plan) ${getPlannedText(text)}`);
    });
    return { plan, reason: null, note: hasShortenedList(text) ? shortenedListNote : null };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    if (error.code === '57014') throw toUnreachable(database.name, error);
    return { plan: null, reason: explainError(text, error), note: null };
  }
}

const shortenedListNote =
  'The server stores only the first constant of a list, shown as /*, ... */. This is the plan for a list of one, not that of the statement as it ran: with more constants, the server may read more rows and choose another plan.';

/**
 * Errors that a statement has only without its constants: two equal ones became different
 * parameters, or one whose type was known became one of any type.
 */
const errorsOfLostConstants: ReadonlySet<string | undefined> = new Set([
  '42601', // syntax_error
  '42803', // grouping_error
  '42804', // datatype_mismatch
  '42P10', // invalid_column_reference: in `select distinct … order by`
  '42P18', // indeterminate_datatype
  '42725', // ambiguous_function
]);

function explainError(text: string, { code, message, position }: pg.DatabaseError): string {
  // An error without a position is about the text as a whole, such as two statements in it.
  if (!hasParameters(text) || !errorsOfLostConstants.has(code) || position === undefined)
    return `The server cannot plan it: ${message}.`;
  return `The stored text lost its constants, so the server cannot plan it: ${message}. To see its plan, run EXPLAIN with the statement and its values.`;
}

/** Explains the text, adding the type to each parameter that the server rejects. */
async function explainRestored(transaction: Transaction, text: string): Promise<string> {
  try {
    return await explainOne(transaction, text);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== syntaxError) throw error;
    // The server counts characters.
    const at = [...text].slice(0, Number(error.position) - 1).join('').length;
    const restored = restoreConstant(text, at);
    if (restored === null) throw error;
    await transaction.query('rollback to savepoint before');
    return explainRestored(transaction, restored);
  }
}

const syntaxError = '42601';

interface PlanLine {
  readonly 'QUERY PLAN': string;
}

/**
 * The extended protocol accepts a single statement. A text recorded under other string settings
 * therefore cannot break out of its quotes and become two. The protocol also requires parameter
 * values, which would make the plan specific to them. So the statement is first sent without
 * values. The resulting request for values proves that the server parsed one statement, which is
 * then sent as plain text.
 */
async function explainOne(transaction: Transaction, text: string): Promise<string> {
  const lines = await transaction
    .query<PlanLine & Record<string, string>>({ text, queryMode: 'extended' })
    .catch(async (error: unknown) => {
      if (!(error instanceof pg.DatabaseError) || error.code !== countParameters) throw error;
      await transaction.query('rollback to savepoint before');
      return transaction.query<PlanLine & Record<string, string>>(text);
    });
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

/** protocol_violation: "bind message supplies 0 parameters, but prepared statement requires 2". */
const countParameters = '08P01';

/** Judges the statement by its first word, after parentheses and comments. */
function canBeExplained(text: string): boolean {
  const start = skipToFirstWord(text);
  return /^(?:select|insert|update|delete|merge|values|with|table|declare)\b/i.test(start) || createsFromQuery(start);
}

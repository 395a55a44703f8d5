/**
 * Changes access in one transaction. The plan is made inside it, and all statements run in one
 * round trip, which keeps locks as short as possible.
 */
import { FailedActions, Problem } from '@portal/kit/problems';
import pg from 'pg';
import type { HeliumDatabase } from '../database.ts';
import type { Transaction } from '../transaction.ts';
import { explainFailure } from './explain-failure.ts';
import type { Step } from './grant-plan.ts';

/** How long a statement waits for a lock. Every session queued behind it waits as long. */
export const defaultLockTimeoutMs = 5_000;
const statementTimeoutMs = 60_000;

export interface StepPlan {
  readonly steps: readonly Step[];
}

/**
 * Runs after all statements and before the commit; `xid` shows later whether the commit happened.
 * An error rolls back.
 */
export type BeforeCommit<P> = (committed: { readonly xid: string; readonly plan: P }) => Promise<void>;

/** `dry-run` runs everything and rolls back; `plan` runs nothing. */
type RunMode = 'run' | 'dry-run' | 'plan';

export interface RunOptions<P> {
  readonly schemaName: string;
  readonly mode: RunMode;
  /** Default: `defaultLockTimeoutMs`. */
  readonly lockTimeoutMs?: number | undefined;
  /** Runs in the mode `run` when there is something to do. */
  readonly beforeCommit?: BeforeCommit<P> | undefined;
}

export interface RunResult<P> {
  readonly plan: P;
  /** A plan whose only known part is its statements. */
  readonly tookMs: number;
}

/**
 * With hundreds of tables, the change and the running app block each other now and then. PostgreSQL
 * then rolls one of the two back.
 */
const maxAttempts = 5;

/**
 * Runs the whole plan or nothing, again after a deadlock. The caller runs one change of a schema at
 * a time: a lock in the data source could be held by anyone who can connect to it. Throws
 * FailedActions with the reason,
 * Unreachable when the data source is unavailable, and any error of `makePlan` and `beforeCommit`.
 */
export async function runSteps<P extends StepPlan>(
  database: HeliumDatabase,
  options: RunOptions<P>,
  makePlan: (transaction: Transaction) => Promise<P>,
): Promise<RunResult<P>> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await runOnce(database, options, makePlan);
    } catch (error) {
      const isDeadlock =
        error instanceof FailedActions && error.cause instanceof pg.DatabaseError && error.cause.code === '40P01';
      if (!isDeadlock || attempt === maxAttempts) throw error;
    }
}

async function runOnce<P extends StepPlan>(
  database: HeliumDatabase,
  { schemaName, mode, lockTimeoutMs = defaultLockTimeoutMs, beforeCommit }: RunOptions<P>,
  makePlan: (transaction: Transaction) => Promise<P>,
): Promise<RunResult<P>> {
  let plan: P | undefined;
  try {
    const limits = { lockTimeoutMs, statementTimeoutMs, dryRun: mode !== 'run' };
    return await database.granting.transaction(limits, async (transaction) => {
      await transaction.query(`select set_config('search_path', '', true)`);
      plan = await makePlan(transaction);
      const startedMs = performance.now();
      if (mode !== 'plan' && plan.steps.length > 0) await transaction.query(toSingleStatement(plan.steps));
      const tookMs = performance.now() - startedMs;
      if (mode === 'run' && beforeCommit && plan.steps.length > 0) {
        const [row] = await transaction.query<{ xid: string }>('select txid_current()::text as xid');
        await beforeCommit({ xid: row?.xid ?? '', plan }).catch(throwCallerError);
      }
      return { plan, tookMs };
    });
  } catch (error) {
    if (error instanceof CallerError) throw error.cause;
    if (error instanceof pg.DatabaseError) throw await explainFailure(database, schemaName, plan?.steps, error);
    if (error instanceof Problem && !(error instanceof FailedActions) && plan) {
      throw new FailedActions(error.message, {
        status: error.status,
        actions: plan.steps.map(({ sql }) => sql),
        cause: error,
      });
    }
    throw error;
  }
}

/** Wraps statements without parameters in one statement, as nested literals. */
function toSingleStatement(steps: readonly Step[]): string {
  const statements = steps.map(({ sql }) => pg.escapeLiteral(sql)).join(',\n');
  const body = `declare statement text;
begin
  foreach statement in array array[
${statements}
  ] loop
    execute statement;
  end loop;
end`;
  return `do ${pg.escapeLiteral(body)}`;
}

/**
 * Wraps an error of the caller's own code inside a transaction, to distinguish it from an error of
 * the data source.
 */
class CallerError extends Problem {
  readonly status = 500;
}

function throwCallerError(cause: unknown): never {
  throw new CallerError('not committed', { cause });
}

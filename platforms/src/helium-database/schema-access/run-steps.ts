/**
 * One transaction for a change of access: the plan is made inside it, and all its statements run in
 * one round trip, so that the locks they take are held as briefly as can be.
 */
import { Problem } from '@portal/kit/problems';
import pg from 'pg';
import type { HeliumDatabase } from '../database.ts';
import type { Transaction } from '../transaction.ts';
import { AccessFailure } from './access-failure.ts';
import { explainFailure } from './explain-failure.ts';
import type { Step } from './grant-plan.ts';

/**
 * How long a statement waits for a lock that somebody else holds. Everybody behind it waits as
 * long.
 */
export const usualLockTimeoutMs = 5_000;
const statementTimeoutMs = 60_000;

export interface Planned {
  readonly steps: readonly Step[];
}

/**
 * Called when all has run and nothing is committed yet; `xid` tells later whether it was. Throwing
 * rolls back.
 */
export type BeforeCommit<P> = (committed: { readonly xid: string; readonly plan: P }) => Promise<void>;

/** `dry-run`: everything runs, and is rolled back. `plan`: nothing runs. */
type RunMode = 'run' | 'dry-run' | 'plan';

export interface RunOptions<P> {
  readonly schemaName: string;
  readonly mode: RunMode;
  /** `usualLockTimeoutMs` when left out. */
  readonly lockTimeoutMs?: number | undefined;
  /** Called when it is `run`, and there is something to do. */
  readonly beforeCommit?: BeforeCommit<P> | undefined;
}

export interface Ran<P> {
  readonly plan: P;
  /** For the statements alone, without finding out what they are. */
  readonly tookMs: number;
}

/**
 * All of the plan happens, or nothing. Throws AccessFailure with the reason in words, Unreachable
 * when the data source is away, and what `makePlan` and `beforeCommit` throw.
 */
export async function runSteps<P extends Planned>(
  database: HeliumDatabase,
  { schemaName, mode, lockTimeoutMs = usualLockTimeoutMs, beforeCommit }: RunOptions<P>,
  makePlan: (transaction: Transaction) => Promise<P>,
): Promise<Ran<P>> {
  let plan: P | undefined;
  try {
    const limits = { lockTimeoutMs, statementTimeoutMs, dryRun: mode !== 'run' };
    return await database.transaction(limits, async (transaction) => {
      await transaction.query(
        `select set_config('search_path', '', true), pg_advisory_xact_lock(hashtextextended('portal schema access ' || $1, 0))`,
        [schemaName],
      );
      plan = await makePlan(transaction);
      const began = performance.now();
      if (mode !== 'plan' && plan.steps.length > 0) await transaction.query(inOneGo(plan.steps));
      const tookMs = performance.now() - began;
      if (mode === 'run' && beforeCommit && plan.steps.length > 0) {
        const [row] = await transaction.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
        await beforeCommit({ xid: row?.xid ?? '', plan }).catch(passOn);
      }
      return { plan, tookMs };
    });
  } catch (error) {
    if (error instanceof PassedOn) throw error.cause;
    if (error instanceof pg.DatabaseError) throw await explainFailure(database, schemaName, plan?.steps, error);
    if (error instanceof Problem && !(error instanceof AccessFailure) && plan) {
      throw new AccessFailure(error.message, {
        status: error.status,
        actions: plan.steps.map(({ sql }) => sql),
        cause: error,
      });
    }
    throw error;
  }
}

/** Statements that take no parameters, as one: a literal within a literal. */
function inOneGo(steps: readonly Step[]): string {
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
 * What the caller's own code threw in the middle of a transaction: not the data source's failure.
 */
class PassedOn extends Problem {
  readonly status = 500;
}

function passOn(cause: unknown): never {
  throw new PassedOn('not committed', { cause });
}

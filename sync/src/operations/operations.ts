/**
 * Answers, for people, what is kept in or read from the two platforms; see
 * `integration/operator-actions.ts`.
 */
import { isOutage, type Pool } from '@portal/kit/postgres/pool';
import { Problem } from '@portal/kit/problems';
import type { JourneyPace } from '@portal/platforms/journey/journey-pace';
import { forgetAgreedLocks } from '../enrollment/agreed-locks.store.ts';
import type { StoredIntegration } from '../integration/integration.ts';
import type { HeldSelection, OperatorActions } from '../integration/operator-actions.ts';
import { getStateKey, getStateKeyPrefix } from '../integration/state-key.ts';
import { listDriftPoints } from '../sync-state/comparisons.store.ts';
import type { HeliumDatabase, HeliumDatabases } from '../sync-state/helium-databases.ts';
import {
  findRun,
  listConflicts,
  listHeld,
  moveCursor,
  requestComparison,
  retryHeld,
  skipHeld,
} from '../sync-state/operations.store.ts';
import { dropRuns, takeRun } from '../sync-state/runs.store.ts';
import { testConnection } from './test-connection.ts';

class DataSourceAway extends Problem {
  readonly status = 503;
}

export function createOperations(databases: HeliumDatabases, pace: JourneyPace): OperatorActions {
  /** Says whose database is away: else people would look for the trouble in the portal's own. */
  async function inDatabase<T>(
    { environment, dataSource }: StoredIntegration,
    work: (database: HeliumDatabase) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(databases.get(environment, dataSource));
    } catch (error) {
      if (!isOutage(error)) throw error;
      const message = `The data source ${dataSource} cannot be reached. Try again in a moment.`;
      throw new DataSourceAway(message, { cause: error });
    }
  }

  const inRun = <T>(integration: StoredIntegration, none: T, ask: (pool: Pool, run: number) => Promise<T>) =>
    inDatabase(integration, async ({ pool }) => {
      const run = await findRun(pool, getStateKey(integration));
      return run === null ? none : ask(pool, run);
    });

  return {
    testConnection: (target, signal) => testConnection(databases, pace, target, signal),
    readHeld: (integration, ask) =>
      inRun(integration, { records: [], total: 0 }, (pool, run) => listHeld(pool, run, ask)),
    readConflicts: (integration, ask) =>
      inRun(integration, { conflicts: [], total: 0 }, (pool, run) => listConflicts(pool, run, ask)),
    retry: (integration, selection) => inRun(integration, 0, (pool, run) => retryHeld(pool, run, toFilter(selection))),
    skip: (integration, selection) => inRun(integration, 0, (pool, run) => skipHeld(pool, run, toFilter(selection))),
    moveCursor: (integration, to) =>
      inDatabase(integration, async ({ prepare, pool }) => {
        await prepare();
        const { stateId } = await takeRun(pool, getStateKey(integration), to.fence, { changeLog: '0', opLog: '0' });
        await moveCursor(pool, stateId, to);
      }),
    readDrift: (integration) => inRun(integration, [], listDriftPoints),
    requestComparison: (integration) => inRun(integration, undefined, requestComparison),
    deleteState: (integration, fence) =>
      inRun(integration, undefined, async (pool) => {
        // With the newer fence in it, a run that does not know yet is refused before anything is
        // gone.
        await takeRun(pool, getStateKey(integration), fence, { changeLog: '0', opLog: '0' });
        await dropRuns(pool, getStateKeyPrefix(integration));
        await forgetAgreedLocks(pool, getStateKeyPrefix(integration));
      }),
  };
}

function toFilter(selection: HeldSelection): { numbers: readonly string[] | null; kind: string | null } {
  return 'numbers' in selection ? { numbers: selection.numbers, kind: null } : { numbers: null, kind: selection.kind };
}

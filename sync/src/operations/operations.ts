/**
 * Implements the operator actions on what is stored in, or read from, the two platforms; see
 * `integration/operator-actions.ts`.
 */

import { explainUnusableAddress } from '@portal/kit/postgres/address-problem';
import { explainRefusedChange, inTransaction, isOutage, isPoolExhausted, type Pool } from '@portal/kit/postgres/pool';
import { Busy, NotFound, Problem } from '@portal/kit/problems';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { deleteEnrollmentState } from '../enrollment/delete-enrollment-state.ts';
import { noEnrollment, readEnrollmentStatus, requestEnrollmentRetry } from '../enrollment/enrollment-status.store.ts';
import { consentToRemoval } from '../enrollment/removal-brake.ts';
import { isContention } from '../helium/database-failures.ts';
import type { Figures } from '../integration/figures.ts';
import type { StoredIntegration } from '../integration/integration.ts';
import type { HeldSelection, OperatorActions } from '../integration/operator-actions.ts';
import { getStateKey, getStateKeyPrefix, getStateOfApp } from '../integration/state-key.ts';
import { listDriftPoints } from '../sync-state/comparisons.store.ts';
import {
  defaultKeptFiles,
  type KeptFileLimits,
  readKeptBytes,
  readKeptFile,
} from '../sync-state/conflict-files.store.ts';
import { readCounts } from '../sync-state/counts.store.ts';
import { listDifferences } from '../sync-state/differences.store.ts';
import type { HeliumDatabase, HeliumDatabases } from '../sync-state/helium-databases.ts';
import { requestLookAgain } from '../sync-state/look-again.store.ts';
import {
  findStateId,
  listConflicts,
  listHeld,
  markSkipped,
  requestComparison,
  requestRetry,
  saveCursor,
} from '../sync-state/operations.store.ts';
import { readQuestion, saveAnswer } from '../sync-state/questions.store.ts';
import { claimRun, createRun, deleteRuns } from '../sync-state/runs.store.ts';
import { listWaitingFiles, requestFiles, skipFiles } from '../sync-state/waiting-files.store.ts';
import { findInJourney, findRecords, nothingFound } from './find-records.ts';
import { findVersionProblem } from './find-version-problem.ts';
import { readChangeLogBacklogs, readOpLogBacklog } from './read-backlogs.ts';
import { restoreFile } from './restore-file.ts';
import { reviewConflicts } from './review-conflicts.ts';
import { testConnection } from './test-connection.ts';

class DataSourceUnavailable extends Problem {
  readonly status = 503;
}

export function createOperations(
  databases: HeliumDatabases,
  rateLimiter: JourneyRateLimiter,
  keptFiles: KeptFileLimits = defaultKeptFiles,
  fileHosts: readonly string[] = [],
): OperatorActions {
  /**
   * Names the unavailable data source, so that operators do not look for the cause in the portal's
   * database.
   */
  async function withDatabase<T>(
    { environment, dataSource }: StoredIntegration,
    work: (database: HeliumDatabase) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(databases.get(environment, dataSource));
    } catch (error) {
      if (isPoolExhausted(error) || isContention(error))
        throw new Busy(`The data source ${dataSource} is busy. Try again in a few seconds.`, 2);
      const reason = explainUnusableAddress(error);
      if (reason !== undefined)
        throw new DataSourceUnavailable(`The data source ${dataSource} ${reason}.`, { cause: error });
      const refusal = explainRefusedChange(error);
      if (!isOutage(error) && refusal === undefined) throw error;
      const failure = refusal ? `accepts no changes at the moment (${refusal})` : 'cannot be reached';
      const message = `The data source ${dataSource} ${failure}. Try again in a moment.`;
      throw new DataSourceUnavailable(message, { cause: error });
    }
  }

  const withState = <T>(
    integration: StoredIntegration,
    empty: T,
    query: (pool: Pool, run: number, database: HeliumDatabase) => Promise<T>,
  ) =>
    withDatabase(integration, async (database) => {
      const pool = database.asApp(integration.config.helium.dbSchema);
      const run = await findStateId(pool, getStateKey(integration));
      return run === null ? empty : query(pool, run, database);
    });

  return {
    readChangeLogBacklogs: (integrations) =>
      withDatabase(integrations[0], (database) => readChangeLogBacklogs(database, integrations)),
    readOpLogBacklog: (stopped, signal) => readOpLogBacklog(rateLimiter, stopped, signal),
    testConnection: (target, signal) => testConnection({ databases, rateLimiter, fileHosts }, target, signal),
    readCounts: (integration) => withState<Partial<Figures>>(integration, {}, readCounts),
    readHeld: (integration, query) =>
      withState(integration, { records: [], total: 0 }, (pool, run) => listHeld(pool, run, query)),
    readConflicts: (integration, query) =>
      withState(integration, { conflicts: [], total: 0, fields: [] }, (pool, run) => listConflicts(pool, run, query)),
    reviewConflicts: (integration, review) =>
      withState(integration, { reviewed: 0, refused: [], next: null }, (pool, stateId, { reading }) =>
        reviewConflicts({ pool, reading, stateId, schema: integration.config.helium.dbSchema }, review),
      ),
    readConflictFile: (integration, no) =>
      withState(integration, null, async (pool, run) => {
        const file = await readKeptFile(pool, run, no);
        return file && { ...file, bytes: readKeptBytes(pool, file) };
      }).then(requireKept),
    restoreConflictFile: (integration, no) =>
      withState(integration, null, (pool, stateId, { reading }) =>
        restoreFile({ pool, reading, stateId, schema: integration.config.helium.dbSchema, limits: keptFiles }, no),
      ).then(requireKept),
    readDifferences: (integration, { limit }) =>
      withState(integration, { records: [], total: 0 }, (pool, run) => listDifferences(pool, run, limit)),
    readWaitingFiles: (integration, query) =>
      withState(integration, { files: [], total: 0 }, (pool, run) => listWaitingFiles(pool, run, query)),
    retryFiles: (integration, numbers) => withState(integration, 0, (pool, run) => requestFiles(pool, run, numbers)),
    skipFiles: (integration, numbers) =>
      withState(integration, 0, (pool, run) => inTransaction(pool, (db) => skipFiles(db, run, numbers))),
    findRecords: async (integration, search, signal) => {
      const find = (pool: Pool, stateId: number) =>
        findRecords({ pool, stateId, rateLimiter }, integration, search, signal);
      try {
        return await withState(integration, nothingFound, find);
      } catch (error) {
        if (!(error instanceof DataSourceUnavailable || error instanceof Busy)) throw error;
        return findInJourney(rateLimiter, integration, search, { problem: error.message, signal });
      }
    },
    requestLookAgain: (integration, records) =>
      withState(integration, undefined, (pool, run) => requestLookAgain(pool, run, records)),
    retry: (integration, selection) =>
      withState(integration, 0, (pool, run) => requestRetry(pool, run, toSelection(selection))),
    skip: (integration, selection) =>
      withState(integration, 0, (pool, run) => markSkipped(pool, run, toSelection(selection))),
    findVersionProblem: (integration, to, signal) =>
      withDatabase(integration, ({ asApp }) =>
        findVersionProblem({ pool: asApp(integration.config.helium.dbSchema), rateLimiter }, integration, to, signal),
      ),
    moveCursor: (integration, to) =>
      withDatabase(integration, async ({ prepare, asApp }) => {
        // The other direction starts as configured, if the integration has never run.
        const state = getStateOfApp(integration);
        await prepare(state);
        const pool = asApp(state.schema);
        const { stateId } = await claimRun(pool, state.stateKey, to.fence, state.from);
        await saveCursor(pool, stateId, to);
      }),
    readQuestion: (integration) =>
      withState(integration, null, async (pool, run) => {
        const asked = await readQuestion(pool, run);
        return asked?.answer === null ? asked.question : null;
      }),
    answerQuestion: (integration, answer) =>
      withState(integration, false, (pool, run) => saveAnswer(pool, run, answer)),
    readEnrollment: (integration) =>
      withState(integration, noEnrollment, (pool) => readEnrollmentStatus(pool, getStateKey(integration))),
    retryEnrollment: (integration, subjects) =>
      withState(integration, 0, (pool) => requestEnrollmentRetry(pool, getStateKey(integration), subjects)),
    removeUnlisted: (integration, subject) =>
      withState(integration, 0, (pool) =>
        inTransaction(pool, async (db) => {
          const removed = await consentToRemoval(db, getStateKey(integration), subject);
          if (removed > 0) await requestEnrollmentRetry(db, getStateKey(integration), [subject]);
          return removed;
        }),
      ),
    readDrift: (integration) => withState(integration, [], listDriftPoints),
    requestComparison: (integration) =>
      withDatabase(integration, async ({ prepare, asApp }) => {
        const state = getStateOfApp(integration);
        const pool = asApp(state.schema);
        if ((await findStateId(pool, state.stateKey)) === null) {
          // Its first run finds the request and compares both sides.
          await prepare(state);
          await createRun(pool, state.stateKey, state.from);
        }
        const stateId = await findStateId(pool, state.stateKey);
        if (stateId !== null) await requestComparison(pool, stateId);
      }),
    deleteState: (integration, fence) =>
      withDatabase(integration, ({ asStateOwner }) =>
        // It may have used other schemas before.
        asStateOwner(async (owner) => {
          if ((await findStateId(owner, getStateKey(integration))) === null) return;
          // Storing the newer fence first makes an outdated run fail before anything is deleted.
          await claimRun(owner, getStateKey(integration), fence, { changeLog: '0', opLog: '0' });
          await deleteRuns(owner, getStateKeyPrefix(integration));
          await deleteEnrollmentState(owner, getStateKeyPrefix(integration));
        }),
      ),
  };
}

function requireKept<T>(found: T | null): T {
  if (found === null) throw new NotFound('The file is no longer kept: its retention period has ended.');
  return found;
}

function toSelection(selection: HeldSelection): { numbers: readonly string[] | null; kind: string | null } {
  return 'numbers' in selection ? { numbers: selection.numbers, kind: null } : { numbers: null, kind: selection.kind };
}

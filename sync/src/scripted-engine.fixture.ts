import type { ResponseOf } from '@portal/contract/endpoint';
import type { testConnection } from '@portal/contract/sync/config';
import type { ConnectionTarget, OperatorActions, OpLogBacklog } from './integration/operator-actions.ts';
import type { RunHost, RunResult } from './integration/run-host.ts';
import type { Engine } from './setup/service-parts.ts';

/** One run under the test's control: it lasts until it is stopped, or the test ends it. */
export interface ScriptedRun {
  readonly run: RunHost;
  readonly isOver: boolean;
  end(how: RunResult): void;
  fail(error: unknown): void;
}

type ConnectionTest = ResponseOf<typeof testConnection>;

export const bothReached: ConnectionTest = {
  helium: { reached: true, message: 'Reached.' },
  journey: { reached: true, message: 'Reached.' },
  problems: [],
  notes: [],
};

/** An engine that does only what the test scripts, and records its calls. */
export class ScriptedEngine implements Engine {
  readonly runs: ScriptedRun[] = [];
  readonly calls: { readonly name: string; readonly args: readonly unknown[] }[] = [];
  readonly targets: ConnectionTarget[] = [];
  connectionTest: ConnectionTest = bothReached;
  /** Where tests of connections differ by their target. */
  onConnectionTest: ((target: ConnectionTarget) => ConnectionTest) | null = null;
  versionProblem: string | null = null;
  /** While set, runs fail with it immediately. */
  startError: unknown;
  failureCount = 0;
  onDeleteState: () => Promise<void> = () => Promise.resolve();

  readonly startRun = (run: RunHost): Promise<RunResult> => {
    if (this.startError !== undefined) {
      this.failureCount += 1;
      return Promise.reject(this.startError);
    }
    return new Promise((resolve, reject) => {
      let isOver = false;
      const settle = (callback: () => void) => {
        isOver = true;
        callback();
      };
      this.runs.push({
        run,
        get isOver() {
          return isOver;
        },
        end: (how) => settle(() => resolve(how)),
        fail: (error) => settle(() => reject(error)),
      });
      const stop = () => settle(() => resolve({ outcome: 'stopped' }));
      if (run.signal.aborted) stop();
      else run.signal.addEventListener('abort', stop, { once: true });
    });
  };

  /** What waits in the change log and the op-log of each integration that does not run. */
  backlogs: readonly [changeLog: number, opLog: OpLogBacklog] = [0, { entries: 0 }];
  /** How often the op-log was read, and how often with rejected credentials. */
  backlogReads = 0;
  rejectedReads = 0;

  readonly operations: OperatorActions = {
    readChangeLogBacklogs: async (integrations) =>
      integrations.map(() => ({ entries: this.backlogs[0], sinceMs: null })),
    readOpLogBacklog: async () => {
      const [, backlog] = this.backlogs;
      this.backlogReads += 1;
      if (backlog === 'credentials-rejected') this.rejectedReads += 1;
      return backlog;
    },
    testConnection: async (target) => {
      this.targets.push(target);
      return this.onConnectionTest?.(target) ?? this.connectionTest;
    },
    readHeld: (...args) => this.#note('readHeld', args, { records: [], total: 0 }),
    readEnrollment: (...args) =>
      this.#note('readEnrollment', args, {
        listedAt: null,
        users: 0,
        sessions: 0,
        problem: null,
        waiting: [],
        total: 0,
      }),
    readDifferences: (...args) => this.#note('readDifferences', args, { records: [], total: 0 }),
    readDrift: (...args) => this.#note('readDrift', args, []),
    readConflicts: (...args) => this.#note('readConflicts', args, { conflicts: [], total: 0, fields: [] }),
    readCounts: (...args) => this.#note('readCounts', args, { conflicts: 5 }),
    reviewConflicts: (...args) => this.#note('reviewConflicts', args, { reviewed: 2, refused: [], next: null }),
    readConflictFile: (...args) =>
      this.#note('readConflictFile', args, {
        fileName: 'José "1".html',
        size: 11,
        bytes: (async function* () {
          yield Buffer.from('<script>');
          yield Buffer.from('1//');
        })(),
      }),
    restoreConflictFile: (...args) =>
      this.#note('restoreConflictFile', args, { table: 'visit', id: 'v-1', column: 'photo' }),
    readWaitingFiles: (...args) => this.#note('readWaitingFiles', args, { files: [], total: 0 }),
    retryEnrollment: (...args) => this.#note('retryEnrollment', args, 3),
    removeUnlisted: (...args) => this.#note('removeUnlisted', args, args[1] === 'users' ? 7 : 0),
    retryFiles: (...args) => this.#note('retryFiles', args, 4),
    skipFiles: (...args) => this.#note('skipFiles', args, 1),
    findRecords: (...args) =>
      this.#note('findRecords', args, { records: [], isCut: false, notSearched: [], objects: [], problem: null }),
    requestLookAgain: (...args) => this.#note('requestLookAgain', args, undefined),
    retry: (...args) => this.#note('retry', args, 3),
    skip: (...args) => this.#note('skip', args, 2),
    readQuestion: (...args) => this.#note('readQuestion', args, null),
    answerQuestion: (...args) => this.#note('answerQuestion', args, true),
    findVersionProblem: (...args) => this.#note('findVersionProblem', args, this.versionProblem),
    moveCursor: (...args) => this.#note('moveCursor', args, undefined),
    requestComparison: (...args) => this.#note('requestComparison', args, undefined),
    deleteState: async (...args) => {
      await this.#note('deleteState', args, undefined);
      await this.onDeleteState();
    },
  };

  /** Returns the active runs of this app. */
  running(appId: string): ScriptedRun[] {
    return this.runs.filter(({ run, isOver }) => run.integration.appId === appId && !isOver);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  async #note<T>(name: string, args: readonly unknown[], result: T): Promise<T> {
    this.calls.push({ name, args });
    return result;
  }
}

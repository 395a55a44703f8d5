import type { ResponseOf } from '@portal/contract/endpoint';
import type { testConnection } from '@portal/contract/sync';
import type { ConnectionTarget, OperatorActions } from './integration/operator-actions.ts';
import type { Run, RunEnd } from './integration/run.ts';
import type { Engine } from './setup/service-parts.ts';

/** One run as the test holds it: it lasts until it is told to stop, or the test ends it. */
export interface ScriptedRun {
  readonly run: Run;
  readonly isOver: boolean;
  end(how: RunEnd): void;
  fail(error: unknown): void;
}

type Tried = ResponseOf<typeof testConnection>;

export const bothReached: Tried = {
  helium: { reached: true, message: 'Reached.' },
  journey: { reached: true, message: 'Reached.' },
  problems: [],
  notes: [],
};

/** An engine that does nothing but what the test says, and remembers what it was asked. */
export class ScriptedEngine implements Engine {
  readonly runs: ScriptedRun[] = [];
  readonly calls: { readonly name: string; readonly args: readonly unknown[] }[] = [];
  readonly targets: ConnectionTarget[] = [];
  tried: Tried = bothReached;
  /** Runs fail with it at once while it is set; so many have. */
  fault: unknown;
  failed = 0;
  forgets: () => Promise<void> = () => Promise.resolve();

  readonly startRun = (run: Run): Promise<RunEnd> => {
    if (this.fault !== undefined) {
      this.failed += 1;
      return Promise.reject(this.fault);
    }
    return new Promise((resolve, reject) => {
      let isOver = false;
      const settle = (act: () => void) => {
        isOver = true;
        act();
      };
      this.runs.push({
        run,
        get isOver() {
          return isOver;
        },
        end: (how) => settle(() => resolve(how)),
        fail: (error) => settle(() => reject(error)),
      });
      const stop = () => settle(() => resolve({ end: 'stopped' }));
      if (run.signal.aborted) stop();
      else run.signal.addEventListener('abort', stop, { once: true });
    });
  };

  readonly operations: OperatorActions = {
    testConnection: async (target) => {
      this.targets.push(target);
      return this.tried;
    },
    readHeld: (...args) => this.#note('readHeld', args, { records: [], total: 0 }),
    readDrift: (...args) => this.#note('readDrift', args, []),
    readConflicts: (...args) => this.#note('readConflicts', args, { conflicts: [], total: 0 }),
    retry: (...args) => this.#note('retry', args, 3),
    skip: (...args) => this.#note('skip', args, 2),
    moveCursor: (...args) => this.#note('moveCursor', args, undefined),
    requestAudit: (...args) => this.#note('requestAudit', args, undefined),
    forget: async (...args) => {
      await this.#note('forget', args, undefined);
      await this.forgets();
    },
  };

  /** Of this app, those that are not over. */
  running(appId: string): ScriptedRun[] {
    return this.runs.filter(({ run, isOver }) => run.integration.appId === appId && !isOver);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  async #note<T>(name: string, args: readonly unknown[], answer: T): Promise<T> {
    this.calls.push({ name, args });
    return answer;
  }
}

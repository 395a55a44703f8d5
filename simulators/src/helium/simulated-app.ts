/** A running app of an environment: its log, its functions, and its database connections. */
import { randomUUID } from 'node:crypto';
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { stableId } from '../kit/stable-id.ts';
import type { AppDefinition, FunctionDefinition } from './definition.ts';
import { runFunction } from './function-run.ts';
import { formatShortError, formatStackTrace } from './java-exception.ts';
import { createLoad, type Load } from './load.ts';
import { createLogStore, type LogStore } from './log.store.ts';
import { createLogFeed, type LogFeed } from './log-feed.ts';
import { maxStoredResults, pruneResults, type RunResult, saveResult } from './run-results.ts';
import type { Settings } from './settings.ts';

export interface SimulatedApp {
  readonly id: string;
  readonly definition: AppDefinition;
  readonly pool: Pool;
  readonly feed: LogFeed;
  readonly store: LogStore;
  readonly load: Load;
  isDisabled(): boolean;
  maxDatabaseResults(): number;
  /**
   * Runs a function to completion, whether its schedule is enabled or not. Undefined when nothing
   * ran, because the app is disabled or the function is already running.
   */
  run(definition: FunctionDefinition): Promise<RunResult | undefined>;
  stop(): Promise<void>;
}

interface Surroundings {
  readonly environment: string;
  readonly url: string;
  readonly settings: Settings;
  /** The length of a minute of a process time-out. */
  readonly millisPerMinute: number;
}

const pruneEveryRuns = 50;

export function createSimulatedApp(definition: AppDefinition, surroundings: Surroundings): SimulatedApp {
  const id = toAppId(surroundings.environment, definition.name);
  const { settings } = surroundings;
  const pool = createPool(surroundings.url, { max: 3, applicationName: 'helium' });
  const store = createLogStore(pool);
  const feed = createLogFeed(id, store);
  const load = createLoad(feed);
  const running = new Map<string, Promise<RunResult>>();
  const stopping = new AbortController();
  let runs = 0;

  const execute = async (one: FunctionDefinition): Promise<RunResult> => {
    const started = new Date();
    const entryPoint = `${one.unit}:${one.event}`;
    const config = settings.app(id);
    const timeoutMins = config.processEntryPointTimeouts[entryPoint] ?? settings.service().processTimeoutGlobalDefault;
    const limits = {
      timeoutMins,
      timeoutMs: timeoutMins * surroundings.millisPerMinute,
      maxDatabaseResults: config.maxDatabaseResults,
    };
    const writeLine = (key: string, value: string) => feed.emit([{ key, value }]);
    const outcome = await runFunction(pool, one.body, { limits, writeLine, stopping: stopping.signal }).then(
      () => ({ success: true, error: null, stackTrace: null }),
      (problem: unknown) => {
        const failure = {
          success: false,
          error: formatShortError(problem, one),
          stackTrace: formatStackTrace(problem, one),
        };
        feed.emit([
          { key: 'Runtime Error', value: failure.error },
          { key: 'SEVERE', value: failure.stackTrace },
        ]);
        return failure;
      },
    );
    const result = {
      id: randomUUID(),
      qualifiedName: entryPoint,
      schedule: one.schedule,
      started,
      finished: new Date(),
      ...outcome,
    };
    await saveResult(pool, result);
    if (runs++ % pruneEveryRuns === 0) await pruneResults(pool, definition.storedResults ?? maxStoredResults);
    return result;
  };

  return {
    id,
    definition,
    pool,
    feed,
    store,
    load,
    isDisabled: () => settings.app(id).disabled,
    maxDatabaseResults: () => settings.app(id).maxDatabaseResults,
    async run(one) {
      const name = `${one.unit}:${one.event}`;
      if (settings.app(id).disabled || running.has(name)) return undefined;
      const run = execute(one).finally(() => running.delete(name));
      running.set(name, run);
      return run;
    },
    async stop() {
      load.set(undefined);
      stopping.abort();
      await Promise.allSettled(running.values());
      await store.close();
      await pool.end();
    },
  };
}

export function toAppId(environment: string, appName: string): string {
  return stableId(`${environment}/${appName}`);
}

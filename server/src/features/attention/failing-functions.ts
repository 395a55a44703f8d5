import type { App } from '@portal/contract/apps';
import type { Attention } from '@portal/contract/attention';
import { Unreachable } from '@portal/kit/problems';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import {
  readLastResults,
  type ScheduledFunctionResult,
} from '@portal/platforms/helium-database/scheduled-function-results';
import type { AppDatabases } from '../../platform/app-databases.ts';
import type { Caller } from '../../session/caller.ts';
import type { AttentionResult, AttentionSource } from './attention-source.ts';
import { checkApps, limitApps } from './check-apps.ts';
import { LastFound } from './last-found.ts';

/** The number of connections per data source, so that other requests are not starved. */
const concurrency = 4;
const maxErrorLength = 200;

interface Search {
  readonly apps: readonly App[];
  /** Schemas that a data source contains; a second one with the same schema is ignored. */
  readonly claimed: Set<string>;
  readonly signal: AbortSignal;
}

/**
 * Reports functions of the caller's apps whose last run failed. Each data source is checked on its
 * own, so that one that hangs does not delay the others.
 */
export function failingFunctions(appDatabases: AppDatabases): AttentionSource {
  const lastFound = new LastFound();

  async function checkDataSource(
    database: HeliumDatabase,
    caller: Caller,
    { apps, claimed, signal }: Search,
  ): Promise<AttentionResult> {
    const memory = lastFound.forCaller(caller, database.name);
    const schemas = await readSchemas(database, caller, signal);
    if (typeof schemas === 'string') {
      const { items, note } = memory.recall(apps);
      return { items, problems: [schemas + note] };
    }
    const check = async (app: App) => {
      const results = await readLastResults(database.withSignal(signal), app.schemaName);
      return [...results.values()].filter(hasFailed).map((result) => toAttention(app, result));
    };
    const inDataSource = apps.filter(({ schemaName }) => schemas.has(schemaName) && !claimed.has(schemaName));
    for (const { schemaName } of inDataSource) claimed.add(schemaName);
    const subject = `the results of functions in ${database.name}`;
    return checkApps(inDataSource, check, { subject, concurrency, signal, system: database, memory });
  }

  /** Returns why they cannot be read, as a sentence, if so. */
  async function readSchemas(database: HeliumDatabase, { environment }: Caller, signal: AbortSignal) {
    try {
      return await appDatabases.readSchemas(environment, database, signal);
    } catch (error) {
      if (signal.aborted) return `The data source ${database.name} did not respond in time.`;
      if (error instanceof Unreachable) return error.message;
      throw error;
    }
  }

  return {
    action: 'functions.view',
    subject: 'the results of scheduled functions',
    async check(caller, signal) {
      const { apps, problems } = limitApps((await caller.apps({ forReading: true, signal })).apps);
      const databases = appDatabases.all(caller.environment);
      const search = { apps, claimed: new Set<string>(), signal };
      const parts = await Promise.all(databases.map((database) => checkDataSource(database, caller, search)));
      return {
        items: parts.flatMap(({ items }) => items),
        problems: [...parts.flatMap((part) => part.problems), ...problems],
      };
    },
  };
}

function hasFailed({ finished, success, error }: ScheduledFunctionResult): boolean {
  return finished !== null && (success === false || error !== null);
}

function toAttention(
  { id, name }: App,
  { qualifiedName, started, finished, error }: ScheduledFunctionResult,
): Attention {
  const [headline = ''] = (error ?? '').trim().split('\n');
  return {
    kind: 'failing-function',
    title: name,
    detail: `${qualifiedName} failed${headline === '' ? '.' : `: ${headline.slice(0, maxErrorLength)}`}`,
    at: (finished ?? started).toISOString(),
    route: `/scheduledfunctions/${id}`,
  };
}

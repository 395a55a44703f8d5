import type { App } from '@portal/contract/apps';
import type { Attention } from '@portal/contract/attention';
import { NotFound } from '@portal/kit/problems';
import {
  readLastResults,
  type ScheduledFunctionResult,
} from '@portal/platforms/helium-database/scheduled-function-results';
import type { AppDatabases } from '../../platform/app-databases.ts';
import type { ServedEnvironment } from '../../platform/environments.ts';
import { askOfApps } from './ask-of-apps.ts';
import type { AttentionSource } from './attention-source.ts';

const mostOfError = 200;

/** Functions of the caller's apps whose last run failed. */
export function failingFunctions(appDatabases: AppDatabases): AttentionSource {
  return {
    action: 'functions.view',
    subject: 'the results of scheduled functions',
    async look(caller, signal) {
      const { apps } = await caller.apps();
      const ask = async (app: App) => {
        const results = await readResults(appDatabases, caller.environment, app);
        return results.filter(hasFailed).map((result) => failureOf(app, result));
      };
      // No more than a data source has connections: others want theirs, too.
      return askOfApps(apps, ask, { subject: 'the results of functions', atATime: 4, signal });
    },
  };
}

/** None where no data source of the environment holds the app: there is nothing to look at. */
async function readResults(
  appDatabases: AppDatabases,
  environment: ServedEnvironment,
  { schemaName }: App,
): Promise<ScheduledFunctionResult[]> {
  try {
    const database = await appDatabases.find(environment, schemaName);
    return [...(await readLastResults(database, schemaName)).values()];
  } catch (error) {
    if (error instanceof NotFound) return [];
    throw error;
  }
}

function hasFailed({ finished, success, error }: ScheduledFunctionResult): boolean {
  return finished !== null && (success === false || error !== null);
}

function failureOf({ id, name }: App, { qualifiedName, started, finished, error }: ScheduledFunctionResult): Attention {
  const [headline = ''] = (error ?? '').trim().split('\n');
  return {
    kind: 'failing-function',
    title: name,
    detail: `${qualifiedName} failed${headline === '' ? '.' : `: ${headline.slice(0, mostOfError)}`}`,
    at: (finished ?? started).toISOString(),
    route: `/scheduledfunctions/${id}`,
  };
}

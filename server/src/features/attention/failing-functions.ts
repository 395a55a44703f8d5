import type { App } from '@portal/contract/apps';
import type { Attention } from '@portal/contract/attention';
import { NotFound } from '@portal/kit/problems';
import {
  readLastResults,
  type ScheduledFunctionResult,
} from '@portal/platforms/helium-database/scheduled-function-results';
import type { AppDatabases } from '../../platform/app-databases.ts';
import type { ServedEnvironment } from '../../platform/environments.ts';
import type { AttentionSource } from './attention-source.ts';
import { checkApps } from './check-apps.ts';

const maxErrorLength = 200;

/** Reports functions of the caller's apps whose last run failed. */
export function failingFunctions(appDatabases: AppDatabases): AttentionSource {
  return {
    action: 'functions.view',
    subject: 'the results of scheduled functions',
    async check(caller, signal) {
      const { apps } = await caller.apps();
      const check = async (app: App) => {
        const results = await readResults(appDatabases, caller.environment, app);
        return results.filter(hasFailed).map((result) => toAttention(app, result));
      };
      // At most the number of connections per data source, so that other requests are not starved.
      return checkApps(apps, check, { subject: 'the results of functions', concurrency: 4, signal });
    },
  };
}

/** Returns an empty list if no data source of the environment contains the app. */
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

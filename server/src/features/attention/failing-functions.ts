import type { App } from '@portal/contract/apps';
import type { CheckResults, StoredSource } from '../../app-checks/app-checks.store.ts';
import type { AppChecks } from '../../app-checks/app-checks.ts';
import type { AppDatabases } from '../../platform/app-databases.ts';
import { type AttentionResult, type AttentionSource, type FoundItem, mergeResults } from './attention-source.ts';
import { summarizeChecks } from './summarize-checks.ts';

/** Reports functions of the caller's apps whose last run failed. */
export function failingFunctions(appChecks: AppChecks, appDatabases: AppDatabases): AttentionSource {
  return {
    action: 'functions.view',
    subject: 'the results of scheduled functions',
    async findItems(caller, signal) {
      const { environment } = caller;
      let { apps } = await caller.apps({ forReading: true, signal });
      const schemas = apps.map(({ schemaName }) => schemaName);
      const stored = await appChecks.view(caller, 'functions', schemas);
      const results: AttentionResult[] = [];
      let isComplete = true;
      for (const { name } of appDatabases.all(environment)) {
        const source = stored.find((each) => each.source === name);
        const known = new Set(source?.apps);
        if (source) {
          const own = apps.filter(({ schemaName }) => known.has(schemaName));
          results.push(summarizeSource(source, own, environment.timeZone));
        } else isComplete = false;
        // A second data source with the same schema is ignored.
        apps = apps.filter(({ schemaName }) => !known.has(schemaName));
      }
      // A data source that was never read may have any of the other apps.
      const checks = { missing: isComplete ? 0 : apps.length, outdated: 0, oldest: null };
      return mergeResults([...results, { items: [], problems: [], checks }]);
    },
  };
}

function summarizeSource(
  { source, problem, checks }: StoredSource<'functions'>,
  apps: readonly App[],
  timeZone: string,
): AttentionResult {
  const bySchema = new Map(checks.map((check) => [check.app, check]));
  const checked = apps.map((app) => ({ app, check: bySchema.get(app.schemaName) }));
  const subject = `the results of functions in ${source}`;
  const result = summarizeChecks(checked, { subject, problem, timeZone, toItems });
  const count = checked.reduce((sum, { check }) => sum + (check?.result?.count ?? 0), 0);
  return { ...result, moreFailing: count - result.items.length };
}

function toItems({ id, name }: App, { newest }: CheckResults['functions']): FoundItem[] {
  return newest.map(({ qualifiedName, finished, error }) => {
    const [headline = ''] = (error ?? '').trim().split('\n');
    return {
      kind: 'failing-function',
      appId: id,
      title: name,
      detail: `${qualifiedName} failed${headline === '' ? '.' : `: ${headline}`}`,
      at: finished,
      route: `/scheduledfunctions/${id}`,
    };
  });
}

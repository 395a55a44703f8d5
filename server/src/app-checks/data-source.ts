import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { readFailingFunctions } from '@portal/platforms/helium-database/scheduled-function-results';
import type { AppDatabases } from '../platform/app-databases.ts';
import type { ServedEnvironment } from '../platform/environments.ts';
import type { CheckSource } from './check-source.ts';
import type { Clock } from './clock.ts';
import { Pace } from './pace.ts';

/** A data source spends at most a twenty-first of its time on checks. */
const restFactor = 20;
/** With 400 apps, the statements of a minute take two seconds. */
const minAgeMs = 60_000;
const limits = { limit: 20, maxNames: 500, maxLength: 200, timeoutMs: 4_000 };

/** Reads which functions failed in the apps of a data source, one app at a time. */
export function createDataSource(
  environment: ServedEnvironment,
  database: HeliumDatabase,
  { appDatabases, clock }: { readonly appDatabases: Pick<AppDatabases, 'readSchemas'>; readonly clock: Clock },
): CheckSource {
  const pace = new Pace(clock);
  return {
    environment: environment.name,
    subject: 'functions',
    source: database.name,
    minAgeMs,
    get silence() {
      return database.silence;
    },
    listApps: (signal) => appDatabases.readSchemas(environment, database, signal),
    async check(schemaName, signal) {
      await pace.wait(signal);
      const startedAt = clock.now();
      try {
        const { newest, ...others } = await readFailingFunctions(database.withSignal(signal), schemaName, limits);
        return { ...others, newest: newest.map((failed) => ({ ...failed, finished: failed.finished.toISOString() })) };
      } finally {
        // One that does not answer spends nothing, and is found back by its probe.
        if (!database.silence) pace.rest((clock.now() - startedAt) * restFactor);
      }
    },
  };
}

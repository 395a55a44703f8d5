import { createTestDatabase, getTestPostgresUrl, type TestDatabase } from '@portal/kit/postgres/test-database';
import { provisionDatabase } from './database.ts';
import { type JourneySimulator, type JourneySimulatorOptions, startJourneySimulator } from './simulator.ts';
import { smallDeployment } from './small-deployment.ts';

/**
 * Starts a small Journey backend for one test file in the run's temporary PostgreSQL, without
 * background activity. Stop it with `stop({ dropDatabase: true })`.
 */
export async function startTestJourney(options: Partial<JourneySimulatorOptions> = {}): Promise<JourneySimulator> {
  return startJourneySimulator({
    postgres: { url: getTestPostgresUrl() },
    deployments: [smallDeployment],
    live: false,
    ...options,
    database: options.database ?? (await createTestJourneyDatabase()).name,
  });
}

let template: Promise<string> | undefined;

/** Creates a database for a simulated backend. Copied, because creating the tables takes longer. */
export async function createTestJourneyDatabase(): Promise<TestDatabase> {
  template ??= prepareTemplate();
  return createTestDatabase(await template);
}

async function prepareTemplate(): Promise<string> {
  const name = 'test_journey_template';
  await provisionDatabase(getTestPostgresUrl(), name);
  return name;
}

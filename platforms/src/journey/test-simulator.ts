import { randomBytes } from 'node:crypto';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { smallDeployment } from './simulator/small-deployment.ts';
import { type JourneySimulator, type JourneySimulatorOptions, startJourneySimulator } from './simulator.ts';

/**
 * Starts a small Journey backend for one test file in the run's temporary PostgreSQL, without
 * background activity. Stop it with `stop({ dropDatabase: true })`.
 */
export function startTestJourney(options: Partial<JourneySimulatorOptions> = {}): Promise<JourneySimulator> {
  return startJourneySimulator({
    postgres: { url: getTestPostgresUrl() },
    database: `test_journey_${randomBytes(6).toString('hex')}`,
    deployments: [smallDeployment],
    live: false,
    ...options,
  });
}

import { randomBytes } from 'node:crypto';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { smallDeployment } from './simulator/small-deployment.ts';
import { type JourneySimulator, type JourneySimulatorOptions, startJourneySimulator } from './simulator.ts';

/**
 * A small Journey backend of a test file's own, in the run's throw-away PostgreSQL: nothing runs by
 * itself. End it with `stop({ dropDatabase: true })`.
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

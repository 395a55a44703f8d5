import { randomBytes } from 'node:crypto';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { type HeliumSimulator, type HeliumSimulatorOptions, startHeliumSimulator } from './simulator.ts';
import { smallEnvironment } from './small-environment.ts';

/**
 * Starts a small platform for one test file in the run's temporary PostgreSQL, without background
 * activity. Stop it with `stop({ dropDatabases: true })`.
 */
export async function startTestSimulator(options: Partial<HeliumSimulatorOptions> = {}): Promise<HeliumSimulator> {
  return startHeliumSimulator({
    definition: smallEnvironment,
    postgres: { url: getTestPostgresUrl() },
    namespace: `test_${randomBytes(6).toString('hex')}`,
    live: false,
    ...options,
  });
}

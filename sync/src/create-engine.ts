import { isConfiguredJourney } from '@portal/platforms/journey/base-url';
import { createJourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { createOperations } from './operations/operations.ts';
import { createStartRun } from './pump/run/start-run.ts';
import type { Engine, ServiceParts } from './setup/service-parts.ts';
import { HeliumDatabases } from './sync-state/helium-databases.ts';

/** What runs integrations, and answers for the two platforms. */
export function createEngine({ config }: Pick<ServiceParts, 'config'>): Engine {
  const databases = new HeliumDatabases(config.environments, config.sync.connectionsPerDatabase);
  const pace = createJourneyRateLimiter({ rate: config.sync.journeyRate });
  const startRun = createStartRun({ databases, pace });
  return {
    // Saved when it was one of the configured addresses, which may have changed since.
    async startRun(run) {
      const { environment, config: wanted } = run.integration;
      const allowed = config.environments.find(({ name }) => name === environment);
      if (allowed && isConfiguredJourney(wanted.journey.baseUrl, allowed)) return startRun(run);
      const reason = `${wanted.journey.baseUrl} is not below a Journey address configured for ${environment}.`;
      return { end: 'halted', reason, position: '' };
    },
    operations: createOperations(databases, pace),
    stop: () => databases.stop(),
  };
}

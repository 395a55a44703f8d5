import { isConfiguredJourney } from '@portal/platforms/journey/base-url';
import { createJourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { createStartRun } from './engine/run/start-run.ts';
import { createOperations } from './operations/operations.ts';
import type { Engine, ServiceParts } from './setup/service-parts.ts';
import { HeliumDatabases } from './sync-state/helium-databases.ts';

/** Creates the engine, which runs integrations and performs operator actions on both platforms. */
export function createEngine({
  config,
  logger,
  encryptionKey: key = config.encryptionKey,
}: Pick<ServiceParts, 'config'> & Partial<ServiceParts>): Engine {
  const databases = new HeliumDatabases(config.environments, config.sync.connectionsPerDatabase, { logger, key });
  const rateLimiter = createJourneyRateLimiter({
    rate: config.sync.journeyRate,
    hostRate: config.sync.journeyHostRate,
  });
  const { fileHosts, keptFiles } = config.sync;
  const startRun = createStartRun({ databases, rateLimiter, fileHosts, keptFiles });
  const operations = createOperations(databases, rateLimiter, keptFiles, fileHosts);
  return {
    async startRun(run) {
      run.publish({ needsDecision: false });
      const { environment, config: syncConfig } = run.integration;
      const { baseUrl } = syncConfig.journey;
      const environmentConfig = config.environments.find(({ name }) => name === environment);
      // The configured addresses may have changed since the integration was saved.
      if (!environmentConfig || !isConfiguredJourney(baseUrl, environmentConfig)) {
        const reason = `${baseUrl} is not below a Journey address configured for ${environment}.`;
        return { outcome: 'halted', reason, position: '' };
      }
      const result = await startRun(run);
      if (result.outcome === 'halted')
        run.publish({ needsDecision: (await operations.readQuestion(run.integration)) !== null });
      return result;
    },
    operations,
    stop: () => databases.stop(),
  };
}

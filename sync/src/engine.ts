import { createJourneyPace } from '@portal/platforms/journey/journey-pace';
import { createDesk } from './pump/desk.ts';
import { HeliumDatabases } from './pump/helium-databases.ts';
import { createStartRun } from './pump/start-run.ts';
import type { Engine, ServiceParts } from './service-parts.ts';

/** What runs integrations, and answers for the two platforms. */
export function createEngine({ config }: Pick<ServiceParts, 'config'>): Engine {
  const databases = new HeliumDatabases(config.environments, config.sync.connectionsPerDatabase);
  const pace = createJourneyPace({ rate: config.sync.journeyRate });
  return {
    startRun: createStartRun({ databases, pace }),
    desk: createDesk(databases, pace),
    stop: () => databases.stop(),
  };
}

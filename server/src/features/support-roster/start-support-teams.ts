import { CalendarExpander } from '@portal/platforms/roster/calendar/calendar-expander';
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { ShiftImports } from './portal-roster/shift-imports.ts';
import { SupportTeams } from './support-teams.ts';

/**
 * Starts the support teams, whose rosters are refreshed in the background while the server runs.
 */
export function startSupportTeams(app: FastifyInstance, dependencies: Dependencies): SupportTeams {
  const { config, environments, pool, logger } = dependencies;
  const expander = new CalendarExpander({
    onBug: (error) => logger.error({ err: error }, 'could not expand an event of a calendar'),
  });
  const teams = new SupportTeams({
    config: config.supportRoster,
    environments: environments.all,
    pool,
    logger,
    expander,
  });
  const refresh = () =>
    void teams.refresh().catch((error: unknown) => logger.error({ err: error }, 'could not refresh a support roster'));
  const timer = setInterval(refresh, config.supportRoster.refreshMins * 60_000).unref();
  app.addHook('onReady', async () => refresh());
  app.addHook('onClose', async () => {
    clearInterval(timer);
    await expander.stop();
  });
  return teams;
}

/** Starts the imports of shifts, which are stopped with the server. */
export function startShiftImports(app: FastifyInstance, dependencies: Dependencies): ShiftImports {
  const imports = new ShiftImports(dependencies);
  app.addHook('onClose', () => imports.stop());
  return imports;
}

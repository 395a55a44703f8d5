import { join } from 'node:path';
import { createLogger } from '@portal/kit/logger';
import type { PostgresServer } from '@portal/kit/postgres/launcher';
import type { DemoRosters } from '@portal/simulators/roster/demo';
import type { Lifecycle } from '../lifecycle.ts';
import type { SystemSettings } from '../settings.ts';
import { companyTeams, createCompany } from './company/create-company.ts';
import { writeDemoConfiguration } from './configuration.ts';
import { scheduleDemoDeployments } from './deployments.ts';
import { createDemoIntegrations } from './integrations.ts';
import { addDemoShifts } from './shifts.ts';

export interface Demo {
  /** The portal's configuration for the simulated platforms. */
  readonly configFile: string;
  /** Creates the demo data in the portal at this address, whose database this is. */
  createData(portal: string, databaseUrl: string): Promise<void>;
}

/** Starts the simulated platforms and writes the portal's configuration for them. */
export async function startDemo(
  postgres: PostgresServer,
  { stateDir, logLevel, demoSize: size }: SystemSettings,
  lifecycle: Lifecycle,
): Promise<Demo> {
  // Imported dynamically, because a company's system does not need them.
  const { startDemoPlatforms } = await import('@portal/simulators/helium/demo');
  const log = createLogger({ name: 'platforms', level: logLevel });
  const platforms = await startDemoPlatforms({ postgres, log, stateDir, size });
  lifecycle.onShutdown('platforms', () => platforms.stop());
  const { startDemoJourney } = await import('@portal/simulators/journey/demo');
  const journey = await startDemoJourney({ postgres, log, stateDir, size });
  lifecycle.onShutdown('journey', () => journey.stop());
  const { startDemoReleases } = await import('@portal/simulators/releases/demo');
  const releases = await startDemoReleases({ stateDir });
  lifecycle.onShutdown('releases', () => releases.stop());
  const { startDemoRosters } = await import('@portal/simulators/roster/demo');
  const rosters = await startDemoRosters({ stateDir });
  lifecycle.onShutdown('rosters', () => rosters.stop());
  const { startDemoProjects } = await import('@portal/simulators/projects/demo');
  const { deployments, stop } = await startDemoProjects({ stateDir });
  lifecycle.onShutdown('projects', stop);

  const configFile = join(stateDir, 'portal.config.yaml');
  writeDemoConfiguration(configFile, platforms.environments, journey.baseUrls, stateDir, {
    deployments,
    devClient: releases.devClient,
    supportRoster: size === 'company' ? withCompanyTeams(rosters.supportRoster) : rosters.supportRoster,
    teams: size === 'company' ? [...platforms.teams, ...(await listCompanyTeams())] : platforms.teams,
  });
  return {
    configFile,
    async createData(portal, databaseUrl) {
      await addDemoShifts(portal, 'Platform');
      const production = platforms.environments.find(({ name }) => name === 'Production');
      if (production) await scheduleDemoDeployments(portal, production, deployments.sourceControlPrefix);
      await createDemoIntegrations(portal, journey.deployments);
      if (size === 'company' && production) await createCompany({ portal, databaseUrl, production, journey });
    },
  };
}

/** Shares out the apps of Production among them. */
async function listCompanyTeams(): Promise<readonly { readonly name: string; readonly apps: readonly string[] }[]> {
  const { listDefinitions } = await import('@portal/simulators/helium/definitions');
  const apps = listDefinitions('company').find(({ name }) => name === 'Production')?.apps ?? [];
  return companyTeams.map((name, at) => ({
    name,
    apps: apps.filter((_, index) => index % companyTeams.length === at).map(({ schemaName }) => schemaName),
  }));
}

function withCompanyTeams(roster: DemoRosters['supportRoster']): DemoRosters['supportRoster'] {
  const more = companyTeams.map((name) => ({ name, environments: ['Production'] }));
  return { ...roster, teams: [...roster.teams, ...more] };
}

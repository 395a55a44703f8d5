/** The platforms of `npm start`: three active environments on one PostgreSQL server. */
import { join } from 'node:path';
import type { Logger } from '@portal/kit/logger';
import { getStablePort } from '@portal/kit/ports';
import { canSeeApp } from './access.ts';
import { type DemoSize, definitions, listDefinitions } from './definitions.ts';
import type { DataSource } from './provision.ts';
import { type HeliumSimulator, startHeliumSimulator } from './simulator.ts';

export type { DemoSize };

export interface DemoEnvironment {
  readonly name: string;
  readonly baseUrl: string;
  readonly timeZone: string;
  /** The color of the environment's badge. */
  readonly color: string;
  readonly dataSources: readonly DataSource[];
  /** Database users of the developer teams. */
  readonly teamUsers: readonly string[];
}

/** A developer team, as named in deployments and rosters. */
interface DemoTeam {
  readonly name: string;
  /** Schema names, in all environments. */
  readonly apps: readonly string[];
}

export interface DemoPlatforms {
  readonly environments: readonly DemoEnvironment[];
  readonly teams: readonly DemoTeam[];
  stop(): Promise<void>;
}

interface DemoOptions {
  /** The superuser address of the server that holds all databases. */
  readonly postgres: { readonly url: string };
  readonly log?: Logger;
  /** Stores the ports so that addresses stay the same across restarts. */
  readonly stateDir: string;
  /** Default: small. */
  readonly size?: DemoSize;
}

const colors: Readonly<Record<string, string>> = { Production: 'red', 'Zambia-production': 'orange', Staging: 'blue' };

export async function startDemoPlatforms(options: DemoOptions): Promise<DemoPlatforms> {
  const { postgres, log, stateDir, size = 'small' } = options;
  const installed = listDefinitions(size);
  const ports = new Map<string, number>();
  for (const { name } of installed) ports.set(name, await getStablePort(join(stateDir, 'helium-ports.json'), name));

  const starts = await Promise.allSettled(
    installed.map((definition) =>
      startHeliumSimulator({ definition, postgres, port: ports.get(definition.name) ?? 0, ...(log ? { log } : {}) }),
    ),
  );
  const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const stop = async () => void (await Promise.all(running.map((simulator) => simulator.stop())));
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  return { environments: running.map((simulator, index) => describe(simulator, index)), teams: listTeams(), stop };
}

/** A user who sees the apps of each team. */
const teamMembers: Readonly<Record<string, string>> = {
  Health: 'health.dev',
  'Health Team': 'health.dev',
  Stock: 'health.dev',
  Farming: 'farm.dev',
  'Farming Team': 'farm.dev',
  Platform: 'demo',
  Integrations: 'demo',
};

function listTeams(): DemoTeam[] {
  return Object.entries(teamMembers).map(([name, userName]) => ({
    name,
    apps: definitions.flatMap(({ apps, users }) => {
      const member = users.find((user) => user.userName === userName);
      return apps.filter((app) => member && canSeeApp(member, app.name)).map(({ schemaName }) => schemaName);
    }),
  }));
}

function describe({ baseUrl, dataSources, teams }: HeliumSimulator, index: number): DemoEnvironment {
  const { name = '', timeZone = 'UTC' } = definitions[index] ?? {};
  return {
    name,
    baseUrl,
    timeZone,
    color: colors[name] ?? 'gray',
    dataSources,
    teamUsers: teams.map((team) => team.name),
  };
}

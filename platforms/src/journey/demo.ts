/**
 * The Journey backend of `npm start`: deployments beside some apps of the simulated Helium, with
 * devices at work.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '@portal/kit/logger';
import { getStablePort } from '@portal/kit/ports';
import { deviceAttributes } from '../helium/simulator/apps/device-attributes.ts';
import { definitions } from '../helium/simulator/definitions.ts';
import { appIdOf } from '../helium/simulator/simulated-app.ts';
import { modelNameOf, schemaOfApp } from './demo/schema-of-app.ts';
import { signInDevices } from './demo/sign-in-devices.ts';
import { type DeploymentDefinition, type JourneySimulator, startJourneySimulator } from './simulator.ts';

/** A deployment, and the Helium app it belongs to. */
export interface DemoDeployment {
  readonly environment: string;
  readonly appName: string;
  readonly appId: string;
  /** Of Helium's data source that holds the app. */
  readonly dataSource: string;
  /** Base URL with the deployment's id, which is the user name too. */
  readonly url: string;
  readonly userName: string;
  readonly password: string;
  /** Lets another password in from now on, until the next start. */
  changePassword(password: string): void;
}

export interface DemoJourney {
  readonly deployments: readonly DemoDeployment[];
  /** Where deployments are: what a portal may call. */
  readonly baseUrls: readonly string[];
  stop(): Promise<void>;
}

interface DemoJourneyOptions {
  /** Superuser address of the server that shall hold the backend's database. */
  readonly postgres: { readonly url: string };
  readonly log?: Logger;
  /** Remembers the port, so that addresses stay the same from one start to the next. */
  readonly stateDir: string;
  /** Whether devices edit and sign in by themselves; true when left out. */
  readonly live?: boolean;
}

interface Place {
  readonly environment: string;
  readonly app: string;
  /** The Helium object whose rows are the Journey app's users. */
  readonly users?: string;
  readonly multiDevice?: boolean;
}

const places: readonly Place[] = [
  { environment: 'Production', app: 'Stock Visibility' },
  { environment: 'Production', app: 'Community Health Visits', users: 'HealthWorker', multiDevice: false },
  { environment: 'Production', app: 'Vaccine Cold Chain' },
  { environment: 'Production', app: 'Livestock Traceability' },
  { environment: 'Zambia-production', app: 'Field Extension Services', users: 'Officer' },
  { environment: 'Staging', app: 'Farmer Input Vouchers' },
];

/** Of every deployment, as `demo` is of every environment. */
const demoPassword = 'journey';
const editsPerMinute = 6;

export async function startDemoJourney({ postgres, log, stateDir, live }: DemoJourneyOptions): Promise<DemoJourney> {
  const simulator = await startJourneySimulator({
    postgres,
    database: 'demo_journey',
    deployments: places.map(defined),
    port: await getStablePort(join(stateDir, 'ports.json'), 'journey'),
    ...(log ? { log } : {}),
    ...(live === undefined ? {} : { live }),
  });
  const endings = (live ?? true) ? places.flatMap((place) => startUsers(simulator, place, log)) : [];
  return {
    deployments: places.map((place) => ({ ...describe(place), ...addressOf(simulator, place) })),
    baseUrls: [`${simulator.baseUrl}/api/v4/`],
    async stop() {
      for (const end of endings) end();
      await simulator.stop();
    },
  };
}

function defined(place: Place): DeploymentDefinition {
  return {
    id: deploymentIdOf(place),
    password: demoPassword,
    schemaXml: schemaOfApp(appOf(place).objects, deviceAttributes),
    ...(place.users && { userModel: modelNameOf(place.users) }),
    multiDevice: place.multiDevice ?? true,
    life: { editsPerMinute, seed: places.indexOf(place) + 1 },
    label: `${place.app}, ${place.environment}`,
    appLabel: place.app,
    environment: place.environment,
  };
}

function startUsers(simulator: JourneySimulator, place: Place, log: Logger | undefined): (() => void)[] {
  if (place.users === undefined) return [];
  const deployment = simulator.deployment(deploymentIdOf(place));
  const users = { deployment, userModel: modelNameOf(place.users), multiDevice: place.multiDevice ?? true };
  return [signInDevices(users, log)];
}

function describe(place: Place) {
  const { environment, app: appName } = place;
  return { environment, appName, appId: appIdOf(environment, appName), dataSource: appOf(place).dataSource };
}

function addressOf(simulator: JourneySimulator, place: Place) {
  const { url, userName, setPassword } = simulator.deployment(deploymentIdOf(place));
  return { url, userName, password: demoPassword, changePassword: setPassword };
}

function appOf({ environment, app: name }: Place) {
  const app = definitions.find((one) => one.name === environment)?.apps.find((one) => one.name === name);
  if (app === undefined) throw new Error(`There is no app ${name} in ${environment}`);
  return app;
}

/** The same at each start. */
function deploymentIdOf({ environment, app }: Place): string {
  return createHash('sha256').update(`${environment}/${app}`).digest('hex').slice(0, 24);
}

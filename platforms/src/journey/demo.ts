/**
 * The Journey backend of `npm start`: deployments for some apps of the simulated Helium, with
 * active devices.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '@portal/kit/logger';
import { getStablePort } from '@portal/kit/ports';
import { deviceAttributes } from '../helium/simulator/apps/device-attributes.ts';
import { definitionsWithLargeApp } from '../helium/simulator/definitions.ts';
import { toAppId } from '../helium/simulator/simulated-app.ts';
import { createAppSchema, toModelName } from './demo/app-schema.ts';
import { signInDevices } from './demo/sign-in-devices.ts';
import { type DeploymentDefinition, type JourneySimulator, startJourneySimulator } from './simulator.ts';

/** A deployment and the Helium app it belongs to. */
export interface DemoDeployment {
  readonly environment: string;
  readonly appName: string;
  readonly appId: string;
  /** The Helium data source that holds the app. */
  readonly dataSource: string;
  /** The base URL with the deployment's id, which is also the user name. */
  readonly url: string;
  readonly userName: string;
  readonly password: string;
  /** Changes the password until the next start. */
  changePassword(password: string): void;
}

export interface DemoJourney {
  readonly deployments: readonly DemoDeployment[];
  /** The addresses below which deployments exist, for the portal's configuration. */
  readonly baseUrls: readonly string[];
  stop(): Promise<void>;
}

interface DemoJourneyOptions {
  /** The superuser address of the server that holds the backend's database. */
  readonly postgres: { readonly url: string };
  readonly log?: Logger;
  /** Stores the port so that addresses stay the same across restarts. */
  readonly stateDir: string;
  /** Whether devices edit and sign in automatically. Default: true. */
  readonly live?: boolean;
  /** As for the simulated Helium. Default: false. */
  readonly hasLargeApp?: boolean;
}

interface DemoApp {
  readonly environment: string;
  readonly app: string;
  /** The Helium object whose rows are the Journey app's users. */
  readonly users?: string;
  readonly multiDevice?: boolean;
}

const demoApps: readonly DemoApp[] = [
  { environment: 'Production', app: 'Stock Visibility' },
  { environment: 'Production', app: 'Community Health Visits', users: 'HealthWorker', multiDevice: false },
  { environment: 'Production', app: 'Vaccine Cold Chain' },
  { environment: 'Production', app: 'Livestock Traceability' },
  { environment: 'Zambia-production', app: 'Field Extension Services', users: 'Officer' },
  { environment: 'Staging', app: 'Farmer Input Vouchers' },
];

const largeApp: DemoApp = { environment: 'Staging', app: 'National Programme' };

/** The password of every deployment, as `demo` is for every environment. */
const demoPassword = 'journey';
const editsPerMinute = 6;

export async function startDemoJourney(options: DemoJourneyOptions): Promise<DemoJourney> {
  const { postgres, log, stateDir, live, hasLargeApp = false } = options;
  const apps = hasLargeApp ? [...demoApps, largeApp] : demoApps;
  const simulator = await startJourneySimulator({
    postgres,
    database: 'demo_journey',
    deployments: apps.map(toDefinition),
    port: await getStablePort(join(stateDir, 'ports.json'), 'journey'),
    ...(log ? { log } : {}),
    ...(live === undefined ? {} : { live }),
  });
  const stopSignIns = (live ?? true) ? apps.flatMap((demoApp) => startSignIns(simulator, demoApp, log)) : [];
  return {
    deployments: apps.map((demoApp) => ({ ...describe(demoApp), ...getAddress(simulator, demoApp) })),
    baseUrls: [`${simulator.baseUrl}/api/v4/`],
    async stop() {
      for (const end of stopSignIns) end();
      await simulator.stop();
    },
  };
}

function toDefinition(demoApp: DemoApp, index: number): DeploymentDefinition {
  return {
    id: toDeploymentId(demoApp),
    password: demoPassword,
    schemaXml: createAppSchema(findApp(demoApp).objects, deviceAttributes),
    ...(demoApp.users && { userModel: toModelName(demoApp.users) }),
    multiDevice: demoApp.multiDevice ?? true,
    activity: { editsPerMinute, seed: index + 1 },
    label: `${demoApp.app}, ${demoApp.environment}`,
    appLabel: demoApp.app,
    environment: demoApp.environment,
  };
}

function startSignIns(simulator: JourneySimulator, demoApp: DemoApp, log: Logger | undefined): (() => void)[] {
  if (demoApp.users === undefined) return [];
  const deployment = simulator.deployment(toDeploymentId(demoApp));
  const users = { deployment, userModel: toModelName(demoApp.users), multiDevice: demoApp.multiDevice ?? true };
  return [signInDevices(users, log)];
}

function describe(demoApp: DemoApp) {
  const { environment, app: appName } = demoApp;
  return { environment, appName, appId: toAppId(environment, appName), dataSource: findApp(demoApp).dataSource };
}

function getAddress(simulator: JourneySimulator, demoApp: DemoApp) {
  const { url, userName, setPassword } = simulator.deployment(toDeploymentId(demoApp));
  return { url, userName, password: demoPassword, changePassword: setPassword };
}

function findApp({ environment, app: name }: DemoApp) {
  const app = definitionsWithLargeApp.find((one) => one.name === environment)?.apps.find((one) => one.name === name);
  if (app === undefined) throw new Error(`There is no app ${name} in ${environment}`);
  return app;
}

/** Returns the same id at each start. */
function toDeploymentId({ environment, app }: DemoApp): string {
  return createHash('sha256').update(`${environment}/${app}`).digest('hex').slice(0, 24);
}

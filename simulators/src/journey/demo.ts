/**
 * The Journey backend of `npm start`: deployments for some apps of the simulated Helium, with
 * active devices.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '@portal/kit/logger';
import { getStablePort } from '@portal/kit/ports';
import { createCompanyApps } from '../helium/apps/company.ts';
import { deviceAttributes } from '../helium/apps/device-attributes.ts';
import type { AppDefinition, EnvironmentDefinition } from '../helium/definition.ts';
import { type DemoSize, listDefinitions } from '../helium/definitions.ts';
import { toAppId } from '../helium/simulated-app.ts';
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
  /**
   * Sends all webhooks of the deployment to this address until the next start. Returns their
   * secrets.
   */
  sendWebhooksTo(url: string): string[];
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
  /** As for the simulated Helium. Default: small. */
  readonly size?: DemoSize;
}

interface DemoApp {
  readonly environment: string;
  readonly app: string;
  /** The Helium object whose rows are the Journey app's users. */
  readonly users?: string;
  readonly multiDevice?: boolean;
  readonly editsPerMinute?: number;
}

const demoApps: readonly DemoApp[] = [
  { environment: 'Production', app: 'Stock Visibility' },
  { environment: 'Production', app: 'Community Health Visits', users: 'HealthWorker', multiDevice: false },
  { environment: 'Production', app: 'Vaccine Cold Chain' },
  { environment: 'Production', app: 'Livestock Traceability' },
  { environment: 'Zambia-production', app: 'Field Extension Services', users: 'Officer' },
  { environment: 'Staging', app: 'Farmer Input Vouchers' },
];

/** How many of a company's apps have a deployment, beside those of the small demo. */
const companyDeployments = 27;
/**
 * Additional apps of a company get fewer edits, so that together they do not overload the machine.
 */
const quietEditsPerMinute = 1;

function listDemoApps(size: DemoSize): readonly DemoApp[] {
  if (size === 'small') return demoApps;
  if (size === 'large-app') return [...demoApps, { environment: 'Staging', app: 'National Programme' }];
  const more = createCompanyApps().slice(-companyDeployments);
  return [
    ...demoApps,
    ...more.map(({ name }) => ({ environment: 'Production', app: name, editsPerMinute: quietEditsPerMinute })),
  ];
}

/** The password of every deployment, as `demo` is for every environment. */
const demoPassword = 'journey';
const editsPerMinute = 6;

export async function startDemoJourney(options: DemoJourneyOptions): Promise<DemoJourney> {
  const { postgres, log, stateDir, live, size = 'small' } = options;
  const apps = listDemoApps(size);
  const environments = listDefinitions(size);
  const simulator = await startJourneySimulator({
    postgres,
    database: 'demo_journey',
    deployments: apps.map((demoApp, index) => toDefinition(demoApp, index, findApp(environments, demoApp))),
    port: await getStablePort(join(stateDir, 'ports.json'), 'journey'),
    ...(log ? { log } : {}),
    ...(live === undefined ? {} : { live }),
  });
  const stopSignIns = (live ?? true) ? apps.flatMap((demoApp) => startSignIns(simulator, demoApp, log)) : [];
  return {
    deployments: apps.map((demoApp) => ({
      ...describe(demoApp, findApp(environments, demoApp)),
      ...getAddress(simulator, demoApp),
    })),
    baseUrls: [`${simulator.baseUrl}/api/v4/`],
    async stop() {
      for (const end of stopSignIns) end();
      await simulator.stop();
    },
  };
}

function toDefinition(demoApp: DemoApp, index: number, { objects }: AppDefinition): DeploymentDefinition {
  return {
    id: toDeploymentId(demoApp),
    password: demoPassword,
    schemaXml: createAppSchema(objects, deviceAttributes),
    ...(demoApp.users && { userModel: toModelName(demoApp.users) }),
    multiDevice: demoApp.multiDevice ?? true,
    activity: { editsPerMinute: demoApp.editsPerMinute ?? editsPerMinute, seed: index + 1 },
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

function describe({ environment, app: appName }: DemoApp, { dataSource }: AppDefinition) {
  return { environment, appName, appId: toAppId(environment, appName), dataSource };
}

function getAddress(simulator: JourneySimulator, demoApp: DemoApp) {
  const { url, userName, setPassword, webhooks, setWebhook } = simulator.deployment(toDeploymentId(demoApp));
  const sendWebhooksTo = (address: string) =>
    webhooks().map(({ name }) => setWebhook(name, { url: address, isEnabled: true }).secret);
  return { url, userName, password: demoPassword, changePassword: setPassword, sendWebhooksTo };
}

function findApp(environments: readonly EnvironmentDefinition[], { environment, app: name }: DemoApp): AppDefinition {
  const app = environments.find((one) => one.name === environment)?.apps.find((one) => one.name === name);
  if (app === undefined) throw new Error(`There is no app ${name} in ${environment}`);
  return app;
}

/** Returns the same id at each start. */
function toDeploymentId({ environment, app }: DemoApp): string {
  return createHash('sha256').update(`${environment}/${app}`).digest('hex').slice(0, 24);
}

/** The data of a company's size, beside that of the small demo. */
import { createHash } from 'node:crypto';
import type { DemoEnvironment } from '@portal/platforms/helium/demo';
import type { DemoJourney } from '@portal/platforms/journey/demo';
import { createCompanyIntegrations } from '../integrations.ts';
import { addDemoShifts } from '../shifts.ts';
import { addCompanyHistory, type CompanyApp } from './history.ts';

/** A company's teams, beside the four of the small demo. Their rosters are managed in the portal. */
export const companyTeams: readonly string[] = Array.from(
  { length: 26 },
  (_, index) => `Team ${String.fromCharCode(65 + index)}`,
);

const disabledIntegrations = 270;
const deployments = 5_000;
const auditEntries = 1_000_000;

interface CompanyTarget {
  /** The portal's address. */
  readonly portal: string;
  /** The portal's database, for the role that owns it. */
  readonly databaseUrl: string;
  readonly production: DemoEnvironment;
  readonly journey: DemoJourney;
}

/** Creates what is missing. Throws the portal's error if a call is refused. */
export async function createCompany({ portal, databaseUrl, production, journey }: CompanyTarget): Promise<void> {
  const { name: environment, timeZone, dataSources } = production;
  const apps = await Promise.all(dataSources.map((one) => listApps(portal, environment, one.heliumDataSourceName)));
  const history = { environment, timeZone, apps: apps.flat(), teams: companyTeams, deployments, auditEntries };
  for (const team of companyTeams) await addDemoShifts(portal, team);
  await addCompanyHistory(databaseUrl, history);
  const withDeployment = new Set(journey.deployments.map(({ appId }) => appId));
  const disabled = apps
    .flat()
    .filter(({ id }) => !withDeployment.has(id))
    .slice(0, disabledIntegrations)
    .map(({ id, name, dataSource }) => ({
      environment,
      appId: id,
      appName: name,
      dataSource,
      ...getMissingDeployment(journey.baseUrls[0] ?? '', id),
    }));
  await createCompanyIntegrations(portal, journey.deployments, { disabled });
}

async function listApps(portal: string, environment: string, dataSource: string): Promise<CompanyApp[]> {
  const response = await fetch(`${portal}/portal-backend/api/deployment/apps`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('demo:demo')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ environment, dataSource }),
  });
  if (!response.ok) throw new Error(await response.text());
  // The portal runs from the same checkout and has validated the response against its contract.
  const apps = (await response.json()) as Omit<CompanyApp, 'dataSource'>[];
  return apps.map(({ id, name, schemaName }) => ({ id, name, schemaName, dataSource }));
}

/** A deployment that Journey does not have yet, as a disabled integration may name it. */
function getMissingDeployment(baseUrl: string, appId: string) {
  const userName = createHash('sha256').update(appId).digest('hex').slice(0, 24);
  return {
    url: `${baseUrl}${userName}`,
    userName,
    password: 'journey',
    changePassword: () => undefined,
    sendWebhooksTo: () => [],
  };
}

/** The data of a company's size, beside that of the small demo. */
import { createHash } from 'node:crypto';
import type { DemoEnvironment } from '@portal/simulators/helium/demo';
import type { DemoJourney } from '@portal/simulators/journey/demo';
import { createCompanyIntegrations } from '../integrations.ts';
import { addDemoShifts } from '../shifts.ts';
import { addCompanyHistory, type CompanyApp } from './history.ts';

/**
 * A company's teams, beside the four of the small demo. Their rosters are managed in the portal.
 */
export const companyTeams: readonly string[] = Array.from(
  { length: 26 },
  (_, index) => `Team ${String.fromCharCode(65 + index)}`,
);

interface CompanyData {
  /** Beside the enabled ones of the apps that have a Journey deployment. */
  readonly disabledIntegrations: number;
  readonly deployments: number;
  readonly auditEntries: number;
}

/** With those of the small demo, 300 integrations of Production, of which 30 are enabled. */
const companyData: CompanyData = { disabledIntegrations: 269, deployments: 5_000, auditEntries: 1_000_000 };

interface CompanyTarget {
  /** The portal's address. */
  readonly portal: string;
  /** The portal's database, for the role that owns it. */
  readonly databaseUrl: string;
  readonly production: Pick<DemoEnvironment, 'name' | 'timeZone' | 'dataSources'>;
  readonly journey: Pick<DemoJourney, 'deployments' | 'baseUrls'>;
}

/** Creates what is missing. Throws the portal's error if a call is refused. */
export async function createCompany(
  { portal, databaseUrl, production, journey }: CompanyTarget,
  { disabledIntegrations, deployments, auditEntries } = companyData,
): Promise<void> {
  const { name: environment, timeZone, dataSources } = production;
  const apps = await Promise.all(dataSources.map((one) => listApps(portal, environment, one.heliumDataSourceName)));
  const history = { environment, timeZone, apps: apps.flat(), teams: companyTeams, deployments, auditEntries };
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
  await Promise.all([addShifts(portal), createCompanyIntegrations(portal, journey.deployments, { disabled })]);
  // The portal cannot write the entries of other calls until it is done.
  await addCompanyHistory(databaseUrl, history);
}

async function addShifts(portal: string): Promise<void> {
  for (const team of companyTeams) await addDemoShifts(portal, team);
}

async function listApps(portal: string, environment: string, dataSource: string): Promise<CompanyApp[]> {
  const response = await fetch(`${portal}/portal-backend/api/deployment/apps/`, {
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

/** The three environments of the demo: the same few apps, installed differently. */
import { chronicMedicine } from './apps/chronic-medicine.ts';
import { coldChain } from './apps/cold-chain.ts';
import { communityHealth } from './apps/community-health.ts';
import { type CompanySize, createCompanyApps } from './apps/company.ts';
import { extensionServices } from './apps/extension-services.ts';
import { farmerInputs } from './apps/farmer-inputs.ts';
import { grainCollection } from './apps/grain-collection.ts';
import { createLargeApp } from './apps/large.ts';
import { livestock } from './apps/livestock.ts';
import { malariaSurveillance } from './apps/malaria-surveillance.ts';
import { stockVisibility } from './apps/stock-visibility.ts';
import type { AppDefinition, AppTemplate, EnvironmentDefinition, UserDefinition } from './definition.ts';

const health = [stockVisibility, communityHealth, coldChain, chronicMedicine, malariaSurveillance];
const farming = [farmerInputs, grainCollection, livestock, extensionServices];

const listNames = (apps: readonly AppTemplate[]) => apps.map(({ name }) => name);

const users: readonly UserDefinition[] = [
  { userName: 'demo', password: 'demo', apps: 'all' },
  { userName: 'health.dev', password: 'health', apps: listNames(health) },
  { userName: 'farm.dev', password: 'farm', apps: listNames(farming) },
  { userName: 'support', password: 'support', apps: 'all', readOnly: true },
];

const teams = ['team_health', 'team_farming', 'team_integrations'];

interface Installation {
  readonly domain: string;
  /** The number at the end of each schema name. */
  readonly number: string;
  readonly scale: number;
  readonly first: readonly AppTemplate[];
  readonly second: readonly AppTemplate[];
}

function install({ domain, number, scale, first, second }: Installation): AppDefinition[] {
  const into = (dataSource: string) => (app: AppTemplate) => ({
    ...app,
    fqdn: `${app.host}.${domain}`,
    schemaName: `${app.schema}_${number}`,
    dataSource,
    scale,
  });
  return [...first.map(into('helium-app-1')), ...second.map(into('helium-app-2'))];
}

const servers = (name: string) =>
  [
    { heliumDataSourceName: 'helium-app-1', hostname: `pg-${name}-1.helium.internal` },
    { heliumDataSourceName: 'helium-app-2', hostname: `pg-${name}-2.helium.internal` },
  ] as const;

/** The rows of each object of the large app. */
const largeRows = 200;

export const definitions: readonly EnvironmentDefinition[] = [
  {
    name: 'Production',
    timeZone: 'Africa/Johannesburg',
    dataSources: servers('prod'),
    teams,
    users,
    apps: install({ domain: 'example.org', number: '001', scale: 1, first: health, second: farming }),
  },
  {
    name: 'Zambia-production',
    timeZone: 'Africa/Lusaka',
    dataSources: servers('zm'),
    teams,
    users,
    apps: install({
      domain: 'zm.example.org',
      number: '002',
      scale: 0.6,
      first: [stockVisibility, malariaSurveillance],
      second: [farmerInputs, extensionServices],
    }),
  },
  {
    name: 'Staging',
    timeZone: 'Africa/Johannesburg',
    dataSources: servers('stb'),
    teams,
    users,
    apps: install({
      domain: 'staging.example.org',
      number: '014',
      scale: 0.15,
      first: [stockVisibility, communityHealth, chronicMedicine],
      second: [farmerInputs, livestock],
    }),
  },
];

/**
 * `large-app` also has an app of the size of a large real one; `company` has 400 apps in
 * Production.
 */
export type DemoSize = 'small' | 'large-app' | 'company';

export function listDefinitions(size: DemoSize): readonly EnvironmentDefinition[] {
  return definitions.map((definition) => {
    if (size === 'large-app' && definition.name === 'Staging') return addLargeApp(definition);
    if (size === 'company' && definition.name === 'Production') return addCompany(definition);
    return definition;
  });
}

function addLargeApp(definition: EnvironmentDefinition): EnvironmentDefinition {
  const apps = install({
    domain: 'staging.example.org',
    number: '014',
    scale: 1,
    first: [createLargeApp(largeRows)],
    second: [],
  });
  return { ...definition, apps: [...definition.apps, ...apps] };
}

const companyDataSources = 6;

/** Adds apps and data sources of a company. */
export function addCompany(definition: EnvironmentDefinition, size?: CompanySize): EnvironmentDefinition {
  const [first] = definition.dataSources;
  const more = Array.from({ length: companyDataSources - 1 }, (_, index) => ({
    heliumDataSourceName: `helium-app-${index + 2}`,
    hostname: `pg-prod-${index + 2}.helium.internal`,
  }));
  const apps = createCompanyApps(size).map((app, index) => ({
    ...app,
    fqdn: `${app.host}.example.org`,
    schemaName: `${app.schema}_001`,
    dataSource: `helium-app-${1 + (index % companyDataSources)}`,
    scale: 1,
  }));
  return { ...definition, dataSources: [first, ...more], apps: [...definition.apps, ...apps] };
}

/** The Jira of `npm start`. */
import { join } from 'node:path';
import { getStablePort } from '@portal/kit/ports';
import type { JiraProject } from '@portal/platforms/projects/wire';
import { startJiraSimulator } from './simulator.ts';

interface DemoProjects {
  /** The values for the portal's configuration. */
  readonly deployments: {
    readonly sourceControlPrefix: string;
    readonly jira: {
      readonly baseUrl: string;
      readonly flavor: 'cloud';
      readonly user: string;
      readonly token: string;
    };
  };
  stop(): Promise<void>;
}

const sourceControlPrefix = 'https://bitbucket.org/';
const user = 'portal@example.com';
const token = 'demo';

const teams: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Health Team': {
    STOCK: 'Stock Visibility',
    CHV: 'Community Health',
    COLD: 'Vaccine Cold Chain',
    CMD: 'Chronic Medicine',
    MAL: 'Malaria Surveillance',
  },
  'Farming Team': {
    VOUCH: 'Farmer Vouchers',
    GRAIN: 'Grain Collection',
    LIVE: 'Livestock Traceability',
    FIELD: 'Field Extension',
  },
  Integrations: { SYNC: 'Mobile Sync', HOOKS: 'Outbound Hooks' },
};

const projects: JiraProject[] = Object.entries(teams).flatMap(([team, byKey]) =>
  Object.entries(byKey).map(([key, name]) => ({ key, name, projectCategory: { name: team } })),
);

export async function startDemoProjects({ stateDir }: { readonly stateDir: string }): Promise<DemoProjects> {
  const port = await getStablePort(join(stateDir, 'ports.json'), 'jira');
  const { baseUrl, stop } = await startJiraSimulator({ flavor: 'cloud', projects, user, token, port });
  return { deployments: { sourceControlPrefix, jira: { baseUrl, flavor: 'cloud', user, token } }, stop };
}

/** The simulators of Jira, as a client that was written for the real one sees them. */
import { Secret } from '@portal/kit/secret';
import { startJiraSimulator } from '@portal/simulators/projects/simulator';
import { expect, it } from 'vitest';
import { findSecondReader } from '../second-readers.fixture.ts';
import { fetchJiraProjects } from './client.ts';

/** As far as this test calls it. */
interface StockClient {
  readonly serverInfo: { getServerInfo(): Promise<{ readonly deploymentType: string }> };
  readonly myself: { getCurrentUser(): Promise<{ readonly emailAddress: string }> };
  readonly projects: {
    getProject(project: { readonly projectIdOrKey: string }): Promise<{ readonly name: string }>;
    searchProjects(page: { readonly startAt: number; readonly maxResults: number }): Promise<{
      readonly isLast: boolean;
      readonly values: readonly { readonly key: string }[];
    }>;
  };
  readonly projectCategories: { getAllProjectCategories(): Promise<readonly { readonly name: string }[]> };
}

const path = findSecondReader('jira.js');
const projects = [
  { key: 'STOCK', name: 'Stock Visibility', projectCategory: { name: 'Health' } },
  { key: 'GRAIN', name: 'Grain Collection', projectCategory: { name: 'Farming' } },
  { key: 'LOOSE', name: 'In no category' },
];

it.skipIf(path === null)('the simulated cloud answers jira.js as it answers the portal', async () => {
  const [user, token] = ['portal@example.com', 'secret'];
  const jira = await startJiraSimulator({ flavor: 'cloud', projects, user, token, pageSize: 2 });
  try {
    const { Version3Client } = await import(path ?? '');
    const host = jira.baseUrl;
    const client: StockClient = new Version3Client({
      host,
      authentication: { basic: { email: user, apiToken: token } },
    });
    expect(await client.serverInfo.getServerInfo()).toMatchObject({ deploymentType: 'Cloud' });
    expect(await client.myself.getCurrentUser()).toMatchObject({ emailAddress: user });
    expect(await client.projects.getProject({ projectIdOrKey: 'STOCK' })).toMatchObject({ name: 'Stock Visibility' });
    const first = await client.projects.searchProjects({ startAt: 0, maxResults: 50 });
    const second = await client.projects.searchProjects({ startAt: 2, maxResults: 50 });
    expect([first.isLast, second.isLast]).toEqual([false, true]);
    const categories = await client.projectCategories.getAllProjectCategories();
    expect(categories.map(({ name }) => name)).toEqual(['Health', 'Farming']);
    const read = await fetchJiraProjects({ baseUrl: host, flavor: 'cloud', user, token: new Secret(token) });
    expect(read.map(({ key }) => key)).toEqual([...first.values, ...second.values].map(({ key }) => key));
  } finally {
    await jira.stop();
  }
});

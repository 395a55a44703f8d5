import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getSchedules } from '@portal/contract/deployments';
import pg from 'pg';
import { startChild } from './child.ts';
import { measureDeploymentsPage } from './deployments-page.ts';
import { count, type Figure, median, printFigures } from './figures.ts';
import { measureRosterFeeds } from './roster-feeds.ts';
import { startSystem } from './system.ts';

/**
 * Measures a long list of deployment schedules on the wire, compared with a baseline handler that
 * returns the same bytes from memory, and on the page; and the calendars of many support teams.
 * Arguments: rounds, schedules, calendars, events per calendar.
 */
const [rounds = 7, schedules = 20_000, feeds = 200, events = 1_000] = process.argv.slice(2).map(Number);

let databaseUrl = '';
const system = await startSystem({
  apps: 1,
  async prepare(postgres) {
    databaseUrl = postgres.url;
    return { dataSources: [], teamUsers: [] };
  },
});
try {
  await writeSchedules();
  const figures = [...(await measureList()), ...(await measureDeploymentsPage(system, schedules, rounds))];
  figures.push(...(await measureRosterFeeds(databaseUrl, { feeds, events, rounds })));
  printFigures(`deployments: medians of ${rounds} rounds`, figures);
} finally {
  await system.stop();
}

/** Ten per day, from years ago to years ahead. */
async function writeSchedules(): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query(
      `insert into deployment_schedules (environment, deployment_date, team, jira_project, app_ids, app_names, app_schemas,
         release_name, release_group, release_tag, release_description, instructions, data_source, schedule_status, portal_user,
         revision, updated_at)
       select 'Production', now() + (at - $1 / 2) * interval '144 minutes', 'Team ' || at % 12, 'PRJ' || at % 40,
         array[gen_random_uuid()::text, gen_random_uuid()::text], array['Stock Visibility', 'Clinic Registry'],
         array['stock_visibility_001', 'clinic_registry_001'], 'Release ' || at, 'Group ' || at % 9,
         'https://bitbucket.example.org/projects/PRJ/commits/tag/DEPLOY_Group_20260101', 'DEPLOY_Group_20260101',
         'Stop the reports before, start them again after.', 'helium-app-1', 'MERGE', 'demo', 1, now()
       from generate_series(1, $1::int) as at`,
      [schedules],
    );
    await client.query('analyze deployment_schedules');
  } finally {
    await client.end();
  }
}

async function measureList(): Promise<Figure[]> {
  const { cookie } = await system.signIn();
  const ask = async (url: string) => {
    const began = performance.now();
    const response = await fetch(url, { headers: { cookie } });
    const body = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new Error(`${url} returned ${response.status} ${body}`);
    return { ms: performance.now() - began, body };
  };
  const { body } = await ask(system.origin + getSchedules.path);
  const folder = mkdtempSync(join(tmpdir(), 'portal-bench-'));
  const file = join(folder, 'schedules.json');
  writeFileSync(file, body);
  const responses = [{ method: 'GET', path: '/', type: 'application/json', file }];
  const peer = await startChild<{ url: string }>('./baseline-handler.ts', responses);
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push((await ask(system.origin + getSchedules.path)).ms);
    baseline.push((await ask(peer.ready.url)).ms);
  }
  await peer.stop();
  rmSync(folder, { recursive: true, force: true });
  return [
    {
      what: `\`deployment/list\`: ${count(schedules)} schedules, ${(body.length / 1e6).toFixed(1)} MB of JSON, to its last byte`,
      ours: `${count(median(ours))} ms`,
      peer: `${count(median(baseline))} ms`,
      ratio: median(ours) / median(baseline),
    },
  ];
}

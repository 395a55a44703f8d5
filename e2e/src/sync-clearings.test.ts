/**
 * Values that one side has lost without a log that says so, in the system that `npm start` starts:
 * nothing is cleared until a person decides, and each answer does on both sides what it says.
 */

import { randomUUID } from 'node:crypto';
import { withBase } from '@portal/contract/sync/base';
import { auditDrift } from '@portal/contract/sync/drift';
import { withClient } from '@portal/kit/postgres/pool';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findDemoDatabase } from './demo-database.ts';
import { type DemoVisit, startDemoVisit } from './demo-visit.ts';
import { arriveAtLive, live } from './live-integration.ts';
import { fetchIntegration } from './sync-form-steps.ts';
import { rowOf, stopDeviceEdits } from './sync-screen.ts';
import { seen } from './user-actions.ts';

let demo: DemoVisit;

beforeAll(async () => {
  demo = await startDemoVisit();
});
afterAll(() => demo.close());
beforeEach(() => () => expect(demo.trouble.found).toEqual([]));

const pollOptions = { interval: 200 };
const environment = 'Staging';
const appName = 'Farmer Input Vouchers';

test.for([
  { column: 'province', choice: 'Keep them', action: /^Keep the values$/, isKept: true },
  { column: 'name', choice: 'Clear them', action: /^Clear \d+ values$/, isKept: false },
])(
  'asks before the $column that all dealers lost in Helium is cleared in Journey, and "$choice" does it on both sides',
  async ({ column, choice, action, isKept }) => {
    const page = await demo.open();
    const { appId, clients } = await arriveAtLive(page, environment, appName);
    const readIntegration = () => fetchIntegration(page, appId, environment);
    await stopDeviceEdits(clients.journeyUrl);
    const { url, app } = await findDemoDatabase(demo.stateDir, environment, appName);
    const query = (sql: string) =>
      withClient({ connectionString: url }, async (client) => {
        // As an administrator's repair: the change log does not notice.
        await client.query(`set session_replication_role = replica; set search_path = ${app.schemaName}`);
        return (await client.query<{ id: string; value: string | null }>(sql)).rows;
      });
    const readHelium = async () =>
      Object.fromEntries(
        (await query(`select _id_::text as id, ${column} as value from agrodealer`)).map(({ id, value }) => [
          id,
          value,
        ]),
      );
    // Once it is in Helium, everything is that devices have changed before.
    const id = randomUUID();
    await clients.createInJourney('agroDealer', id, { name: 'Choma Co-op', province: 'Southern' });
    await expect.poll(readHelium, pollOptions).toHaveProperty(id);
    const before = Object.entries(await readHelium()).filter(([, value]) => value !== null);
    const value = Object.fromEntries(before)[id];
    const readJourney = async () => (await clients.inJourney('agroDealer', id))[column] ?? null;

    await query(`update agrodealer set ${column} = null`);
    const headers = { origin: new URL(page.url()).origin };
    const compare = withBase('/sync-stb/api/', auditDrift).path;
    expect((await page.request.post(compare, { data: { appId }, headers })).status()).toBe(200);
    await expect.poll(readIntegration, pollOptions).toMatchObject({ status: 'Halted', needsDecision: true });
    expect(await readJourney()).toBe(value);

    await rowOf(page, appName).getByRole('button', { name: 'Needs a decision' }).click();
    const dialog = page.getByRole('dialog', { name: `Records of ${appName}` });
    const title = `${before.length} values of agrodealer would be cleared in Journey`;
    await seen(dialog.getByRole('heading', { name: title }));
    await dialog.getByRole('radio', { name: choice, exact: true }).check();
    if (!isKept) await dialog.getByLabel('Type DELETE to confirm').fill('DELETE');
    await dialog.getByRole('button', { name: action }).click();
    await seen(dialog.getByRole('status').filter({ hasText: isKept ? 'Nothing is cleared.' : 'clears' }));

    await expect.poll(readIntegration, pollOptions).toMatchObject(live);
    const expected = Object.fromEntries(before.map(([id, value]) => [id, isKept ? value : null]));
    await expect.poll(readHelium, pollOptions).toMatchObject(expected);
    await expect.poll(readJourney, pollOptions).toBe(isKept ? value : null);
  },
);

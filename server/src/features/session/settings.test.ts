import { getSession } from '@portal/contract/session';
import { maxSettings, saveSetting } from '@portal/contract/session-choices';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';

let world: SmallWorld;

beforeAll(async () => {
  world = await startSmallWorld();
});
afterAll(() => world.stop());

it('settings follow a user to another browser, and no other user gets them', async () => {
  const client = await world.server.signIn('demo', 'demo');
  await client.call(saveSetting, { name: 'apps', value: '{"starred":["a"]}' });
  await client.call(saveSetting, { name: 'apps', value: '{"starred":["b"]}' });
  const elsewhere = await world.server.signIn('demo', 'demo');
  expect((await elsewhere.call(getSession, undefined)).settings).toEqual({ apps: '{"starred":["b"]}' });
  const other = await world.server.signIn('health.dev', 'health');
  expect((await other.call(getSession, undefined)).settings).toEqual({});
  const { rows } = await world.server.dependencies.pool.query('select environment, username from user_setting');
  // The same name on two platforms is two users.
  expect(rows).toEqual([{ environment: 'Production', username: 'demo' }]);
});

it('a new setting beyond the limit replaces the one that was saved longest ago', async () => {
  const client = await world.server.signIn('farm.dev', 'farm');
  await world.server.dependencies.pool.query(
    `insert into user_setting (environment, username, name, value, updated_at)
     select 'Production', 'farm.dev', 'name ' || n, 'null', now() - n * interval '1 minute'
     from generate_series(1, ${maxSettings}) n`,
  );
  await client.call(saveSetting, { name: 'new', value: '1' });
  const names = Object.keys((await client.call(getSession, undefined)).settings);
  expect(names).toHaveLength(maxSettings);
  expect(names).toContain('new');
  expect(names).not.toContain(`name ${maxSettings}`);
});

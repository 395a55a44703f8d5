import { getAudit } from '@portal/contract/audit';
import { getRelease, markReleaseStep } from '@portal/contract/release-page';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseProblem } from '../../testing/test-client.ts';
import { type DeploymentsWorld, nextWeekday, startDeploymentsWorld } from './deployments.fixture.ts';

let world: DeploymentsWorld;

beforeAll(async () => {
  world = await startDeploymentsWorld({
    supportRoster: {
      teams: [{ name: 'Health', deploymentTeams: ['Health Team'] }, { name: 'Farm support' }],
    },
  });
});
afterAll(() => world.stop());

const read = (id: string) =>
  world.client.call({ ...getRelease, path: `/portal-backend/api/deployment/release/${id}` }, undefined);
const mark = (id: string, step: string, isDone: boolean, by = world.client) =>
  by.call({ ...markReleaseStep, path: `/portal-backend/api/deployment/step/${id}` }, { step, isDone });

it('returns a release with its configured steps, its support team and who set its tag', async () => {
  const saved = await world.save('null', { ...world.request, deploymentDate: nextWeekday(40) });
  const health = await world.server.signIn('health.dev', 'health');
  const updated = await world.save(
    saved.id,
    { ...world.request, deploymentDate: saved.deploymentDate, releaseTag: `${world.request.releaseTag.slice(0, -1)}5` },
    health,
  );
  const { tagSet, steps, ...release } = await read(saved.id);
  expect(release).toEqual({ schedule: updated, conflicts: [], supportTeam: 'Health', similarTeams: [] });
  expect(tagSet).toEqual({ by: 'health.dev', at: updated.updatedAt });
  expect(steps.map(({ step, done }) => [step, done])).toEqual([
    ['Users informed', null],
    ['Tag deployed', null],
    ['Apps checked', null],
    ['Sync enabled and apps unlocked', null],
  ]);
});

it('suggests the support teams whose name differs by a word where none is configured', async () => {
  const { id } = await world.save('null', {
    ...world.request,
    team: 'Farm',
    jiraProject: 'FARM',
    deploymentDate: nextWeekday(50),
  });
  expect(await read(id)).toMatchObject({ supportTeam: null, similarTeams: ['Farm support'] });
});

it('lists the conflicts of a release until it is resolved', async () => {
  const [one, other] = [
    await world.save('null', { ...world.request, deploymentDate: nextWeekday(60), releaseName: 'One' }),
    await world.save('null', { ...world.request, deploymentDate: nextWeekday(60), releaseName: 'Other' }),
  ];
  const { conflicts } = await read(one.id);
  expect(conflicts).toMatchObject([
    {
      id: other.id,
      releaseName: 'Other',
      reasons: [/same app/, /same data/].map((text) => expect.stringMatching(text)),
    },
  ]);
  await world.resolve(one.id, { outcome: 'deployed' });
  expect((await read(one.id)).conflicts).toEqual([]);
});

it('stores who marked a step first, and records each change of a mark', async () => {
  const { id } = await world.save('null', { ...world.request, deploymentDate: nextWeekday(70) });
  const health = await world.server.signIn('health.dev', 'health');
  const done = await mark(id, 'Tag deployed', true, health);
  expect(done.map((each) => each.done?.by ?? null)).toEqual([null, 'health.dev', null, null]);
  expect(await mark(id, 'Tag deployed', true)).toEqual(done);
  expect((await read(id)).steps).toEqual(done);
  await mark(id, 'Tag deployed', false);
  expect((await read(id)).steps.every((each) => each.done === null)).toBe(true);
  // Without roles, users see their own entries.
  const listMarks = async (by: typeof health) =>
    (await by.call(getAudit, { action: 'deployment.step' })).entries.map(({ resource, before, after }) => [
      resource,
      before,
      after,
    ]);
  expect(await listMarks(world.client)).toEqual([[id, { isDone: true }, { isDone: false }]]);
  expect(await listMarks(health)).toEqual([[id, { isDone: false }, { isDone: true }]]);
});

it('rejects a mark of an unknown step, of a resolved release, and by a user without the right to change it', async () => {
  const { id } = await world.save('null', { ...world.request, deploymentDate: nextWeekday(80) });
  const send = (step: string, by = world.client) =>
    by.send('POST', `/portal-backend/api/deployment/step/${id}`, JSON.stringify({ step, isDone: true }));
  expect(parseProblem(await send('Dance')).message).toBe('The release has no step Dance.');
  expect((await send('Tag deployed', await world.server.signIn('farm.dev', 'farm'))).status).toBe(403);
  await world.resolve(id);
  expect((await send('Tag deployed')).status).toBe(409);
});

it('keeps a mark whose step is no longer configured', async () => {
  const { id } = await world.save('null', { ...world.request, deploymentDate: nextWeekday(90) });
  await world.server.dependencies.pool.query(
    `insert into deployment_steps values ($1, 'Former step', 'demo', '2026-01-05T10:00:00Z')`,
    [id],
  );
  expect((await read(id)).steps.at(-1)).toEqual({
    step: 'Former step',
    done: { by: 'demo', at: '2026-01-05T10:00:00.000Z' },
  });
});

import { getAudit } from '@portal/contract/audit';
import { getShiftImport, importShifts, revealNumber } from '@portal/contract/support-roster';
import { Invalid } from '@portal/kit/problems';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RoleGrant } from '../../../config.ts';
import { type SmallWorld, startSmallWorld } from '../../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../../testing/test-client.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { ShiftsCsvReader } from './shifts-csv-reader.ts';

const [team, otherTeam] = ['Field support', 'Night support'];
const supportRoster = {
  teams: [{ name: team }, { name: otherTeam }, { name: 'Health', calendar: 'http://127.0.0.1:1/' }],
};
const roles: RoleGrant[] = [
  { role: 'operator', users: ['farm.dev'] },
  { role: 'admin', users: ['demo'] },
];
let world: SmallWorld;
let client: TestClient;

beforeAll(async () => {
  world = await startSmallWorld({
    supportRoster,
    roles,
  });
  client = await world.server.signIn('demo', 'demo');
});
afterAll(() => world.stop());
beforeEach(async () => {
  await query('truncate roster_shift, roster_number, roster_import');
});

const query = (sql: string, values: unknown[] = []) => world.server.dependencies.pool.query(sql, values);
const attempt = (csv: string) => client.attempt(importShifts, { team, csv, replace: true });
const findJob = async () => (await client.call(getShiftImport, { team })).job;
const expectJob = () => expect.poll(findJob, { timeout: 60_000 });
const expectAudit = () =>
  expect.poll(async () => (await client.call(getAudit, { action: 'roster.change' })).entries[0], { timeout: 60_000 });
const countShifts = async () => (await query('select from roster_shift where team = $1', [team])).rowCount;

function writeCsv(people: readonly string[], number = ''): string {
  const lines = people.map((name) => `${name},${number},2026-02-02 08:00,2026-02-09 08:00`);
  return ['name,number,start,end', ...lines].join('\n');
}

/** Stores an import that another node runs. */
async function runElsewhere({ secondsAgo = 0, added = 30 } = {}): Promise<void> {
  await query(
    `insert into roster_import (environment, team, username, added, total, updated_at)
     values ('Production', $1, 'demo', $2, 120, now() - make_interval(secs => $3))`,
    [team, added, secondsAgo],
  );
}

/** Takes all slots of heavy work and returns a function that frees them. */
async function occupyHeavyWork({ dependencies } = world.server): Promise<() => void> {
  const { heavyWork, pools } = dependencies;
  let free: () => void = () => undefined;
  const freed = new Promise<void>((resolve) => {
    free = resolve;
  });
  const started = Array.from(
    { length: pools.heavy.options.max },
    (_, at) =>
      new Promise<void>((resolve) => {
        const user = { username: `user ${at}`, environment: { name: 'Production' } };
        void heavyWork.run(user, () => {
          resolve();
          return freed;
        });
      }),
  );
  await Promise.all(started);
  return free;
}

describe('ShiftImports', () => {
  it('continues an import that is not quick after its request, and reports its progress', async () => {
    const free = await occupyHeavyWork();
    const { imported, job } = await client.call(importShifts, { team, csv: writeCsv(['A', 'B']) });
    expect(imported).toBe(0);
    expect(job).toMatchObject({ username: 'demo', state: 'running', added: 0, total: 2, problem: null });
    expect(await findJob()).toEqual(job);
    free();
    await expectJob().toMatchObject({ id: job?.id, state: 'done', added: 2, total: 2 });
    expect(await countShifts()).toBe(2);
    await expectAudit().toMatchObject({
      description: 'Shifts imported',
      outcome: 'done',
      after: { imported: 2, removed: 0 },
    });
  });

  it('refuses an import while another one of the team runs on any node', async () => {
    await runElsewhere();
    const response = await attempt(writeCsv(['A']));
    expect(response.status).toBe(409);
    expect(parseProblem(response).message).toBe(
      'Nothing was imported. Another import for Field support is running. Wait until it is complete, then try again.',
    );
    expect(await findJob()).toMatchObject({ state: 'running', added: 30, total: 120 });
    expect((await client.attempt(importShifts, { team: otherTeam, csv: writeCsv(['A']) })).status).toBe(200);
  });

  it('runs each of several simultaneous imports completely or refuses it', async () => {
    const csv = writeCsv(Array.from({ length: 3_000 }, (_, at) => `P${at}`));
    const responses = await Promise.all([attempt(csv), attempt(csv), attempt(csv)]);
    const refused = responses.filter(({ status }) => status === 409);
    expect(responses.filter(({ status }) => status === 200).length + refused.length).toBe(3);
    await expectJob().toMatchObject({ state: 'done' });
    expect(await countShifts()).toBe(3_000);
  });

  it('reports an import as failed when its node no longer runs, and accepts the next one', async () => {
    await runElsewhere({ secondsAgo: 60 });
    expect(await findJob()).toMatchObject({
      state: 'failed',
      problem: 'The portal stopped during the import. Nothing was imported. Import the file again.',
    });
    expect((await attempt(writeCsv(['A']))).status).toBe(200);
    await expectJob().toMatchObject({ state: 'done', total: 1 });
  });

  it('adds no shifts in an import that was already reported as failed', async () => {
    const free = await occupyHeavyWork();
    await client.call(importShifts, { team, csv: writeCsv(['A']) });
    await query("update roster_import set updated_at = now() - interval '1 minute'");
    free();
    await expectAudit().toMatchObject({ outcome: 'failed', reason: expect.stringMatching(/^Nothing was imported/) });
    expect(await countShifts()).toBe(0);
    expect(await findJob()).toMatchObject({ state: 'failed' });
  });

  it('adds no shifts in an import with a failed statement, and reports the failure', async () => {
    await query(
      `insert into roster_shift (environment, team, name, starts_at, ends_at)
                 values ('Production', $1, 'Before', now(), now() + interval '1 hour')`,
      [team],
    );
    await query("alter table roster_shift add constraint no_z check (name <> 'Z')");
    await attempt(writeCsv([...Array.from({ length: 2_500 }, (_, at) => `P${at}`), 'Z']));
    await expectJob().toMatchObject({ state: 'failed', problem: expect.stringMatching(/^Internal error/) });
    await query('alter table roster_shift drop constraint no_z');
    expect(await countShifts()).toBe(1);
  });

  it('adds no shifts in an import whose node is stopping, and other nodes report that', async () => {
    const node = await startTestServer({
      databaseUrl: world.server.databaseUrl,
      environments: [{ name: 'Production', baseUrl: world.baseUrl }],
      supportRoster,
      roles,
    });
    const free = await occupyHeavyWork(node);
    const user = await node.signIn('demo', 'demo');
    const { job } = await user.call(importShifts, { team, csv: writeCsv(['A']) });
    expect(await findJob()).toEqual(job);
    await node.app.close();
    expect(await findJob()).toMatchObject({
      id: job?.id,
      state: 'failed',
      problem: 'The portal is stopping. Nothing was imported. Try again in a moment.',
    });
    free();
    await node.stop();
    expect(await countShifts()).toBe(0);
  });

  it('shows an import only to users with permission to change the roster', async () => {
    const operator = await world.server.signIn('farm.dev', 'farm');
    expect(await findJob()).toBeNull();
    expect((await operator.attempt(getShiftImport, { team })).status).toBe(403);
    expect((await client.attempt(getShiftImport, { team: 'Health' })).status).toBe(409);
  });
});

describe('ShiftsCsvReader', () => {
  it('rejects a text that takes too long to read', async () => {
    const reader = new ShiftsCsvReader({ timeoutMs: 0 });
    await expect(reader.read(','.repeat(880_000), 'UTC')).rejects.toThrow(
      new Invalid('Nothing was imported. The file takes too long to read. Split it into parts.'),
    );
    await reader.stop();
  });
});

describe('large imports', () => {
  const people = Array.from({ length: 12_000 }, (_, at) => `P${at}`);

  it('adds 12,000 people within the statement timeout when the statistics know only another team', async () => {
    await query(
      `insert into roster_shift (environment, team, name, starts_at, ends_at)
       select 'Production', $1, 'P' || person, now(), now() + interval '1 hour' from generate_series(1, 12000) person`,
      [otherTeam],
    );
    await query(
      `insert into roster_number select 'Production', $1, 'P' || person, '1' from generate_series(1, 12000) person`,
      [otherTeam],
    );
    await query('analyze roster_shift');
    await query('analyze roster_number');
    for (const number of ['+27 82 555 0142', '+27 82 555 0143']) {
      const { status } = await attempt(writeCsv(people, number));
      expect(status).toBe(200);
      await expectJob().toMatchObject({ state: 'done', added: 12_000 });
    }
    expect(await countShifts()).toBe(12_000);
    expect(await client.call(revealNumber, { team, personId: 'P0' })).toEqual({ number: '+27 82 555 0143' });
  });

  it('deletes the numbers of exactly the people who are no longer on the roster', async () => {
    await attempt(writeCsv(['A', 'B', 'C'], '+27 82 555 0142'));
    await expectJob().toMatchObject({ state: 'done', total: 3 });
    await client.call(importShifts, { team: otherTeam, csv: writeCsv(['A'], '+27 82 555 0199') });
    await attempt(writeCsv(['B']));
    await expectJob().toMatchObject({ state: 'done', total: 1 });
    const { rows } = await query('select team, name from roster_number order by team, name');
    expect(rows).toEqual([
      { team, name: 'B' },
      { team: otherTeam, name: 'A' },
    ]);
  });
});

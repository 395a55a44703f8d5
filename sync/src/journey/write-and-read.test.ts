import { randomUUID } from 'node:crypto';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { Fault } from '@portal/simulators/journey/simulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { farmerFields } from './journey-gateway.fixture.ts';
import {
  deploymentIds,
  farmer,
  type JourneyWorld,
  logStarts,
  problemOf,
  signal,
  startJourneyWorld,
} from './journey-world.fixture.ts';

let world: JourneyWorld;
beforeAll(async () => {
  world = await startJourneyWorld();
});
afterAll(() => world.simulator.stop({ dropDatabase: true }));
beforeEach(() => world.open(deploymentIds.usual));
afterEach(() => world.simulator.faults.clear());

describe('writes to Journey', () => {
  it('reads written objects back from the op-log as they were sent', async () => {
    const region = randomUUID();
    const id = randomUUID();
    const head = await world.opened.gateway.readHead(signal);
    const whole = farmerFields({
      name: 'Thandi – "M"\n\t\\ 👩🏾‍🌾',
      age: -2147483648,
      hectares: 0.1 + 0.2,
      active: false,
      born_on: '1969-12-31',
      seen_at: '2024-02-29T23:59:59Z',
      grade: 'b',
      region_fk: region,
    });
    expect(
      await world.send(
        { key: { table: 'region', id: region }, method: 'put', fields: { name: 'East' } },
        farmer(id, whole),
        { key: { table: 'farmer', id }, method: 'patch', fields: { age: null, grade: 'a' } },
        { key: { table: 'region', id: region }, method: 'delete', fields: {} },
      ),
    ).toEqual([{ status: 'done' }, { status: 'done' }, { status: 'done' }, { status: 'done' }]);

    const { entries } = await world.readAll(head, 100);
    expect(entries.map(({ key, operation, fields }) => ({ key, operation, fields }))).toEqual([
      { key: { table: 'region', id: region }, operation: 'create', fields: { name: 'East' } },
      { key: { table: 'farmer', id }, operation: 'create', fields: whole },
      { key: { table: 'farmer', id }, operation: 'update', fields: { ...whole, age: null, grade: 'a' } },
      { key: { table: 'region', id: region }, operation: 'delete', fields: null },
    ]);
    for (const { changedAtMs, problem } of entries) {
      expect((changedAtMs ?? 0.5) % 1000).toBe(0);
      expect(changedAtMs).toBeGreaterThan(0);
      expect(problem).toBeUndefined();
    }
  });

  it('returns one outcome per write: done, missing or refused', async () => {
    const id = randomUUID();
    const missingId = randomUUID();
    const outcomes = await world.send(
      farmer(id, { grade: 'z' }),
      { key: { table: 'farmer', id: missingId }, method: 'delete', fields: {} },
      { key: { table: 'farmer', id: missingId }, method: 'patch', fields: { age: 1 } },
      farmer(id, { hectares: Number.NaN }),
      farmer(id, { name: 'Good' }),
      { key: { table: 'farmer', id }, method: 'patch', fields: { grade: 'y' } },
    );
    expect(outcomes).toMatchObject([
      { status: 'refused', reason: expect.stringContaining("'grade'") },
      { status: 'done' },
      { status: 'missing' },
      { status: 'refused', reason: expect.stringContaining('hectares') },
      { status: 'done' },
      { status: 'refused' },
    ]);
    const kinds = outcomes.flatMap((outcome) => (outcome.status === 'refused' ? [outcome.kind] : []));
    expect(kinds[0]).toBe(kinds[2]);
    expect(kinds[0]).toMatch(/^INVALID_VALUE/);
    expect(kinds[0]).not.toMatch(/grade|z/);
  });

  it('accepts the same write again after a lost response', async () => {
    const id = randomUUID();
    const head = await world.opened.gateway.readHead(signal);
    world.simulator.faults.set({ mode: 'drop', path: 'batch', times: 1 });
    const problem = await problemOf(world.send(farmer(id, { name: 'Once' })));
    expect(problem).toBeInstanceOf(JourneyProblem);
    expect(problem).toMatchObject({ mayBeApplied: true, failure: { kind: 'no-response' } });
    expect(await world.send(farmer(id, { name: 'Once' }))).toEqual([{ status: 'done' }]);
    expect((await world.readAll(head, 100)).entries).toHaveLength(1);
  });

  it.each<[Fault['mode'], string]>([
    ['unauthorized', 'credentials-rejected'],
    ['too-many-requests', 'rate-limited'],
    ['error500', 'server-error'],
    ['html', 'unexpected-response'],
    ['half-batch', 'server-error'],
    ['half-body', 'no-response'],
  ])('throws instead of refusing when the whole call fails: %s', async (mode, kind) => {
    world.simulator.faults.set({ mode, path: 'batch', times: 1 });
    const problem = await problemOf(world.send(farmer(randomUUID()), farmer(randomUUID())));
    expect(problem).toMatchObject({ failure: { kind } });
  });
});

describe('op-log', () => {
  it.each(['usual', 'large'] as const)('reads pages from the start of the log, %s sequences', async (which) => {
    await world.open(deploymentIds[which]);
    const start = logStarts[which];
    const before = (await world.readAll(start, 1000)).entries.length;
    const people = Array.from({ length: 7 }, () => randomUUID());
    for (const id of people) {
      await world.deployment.device.edit(
        { method: 'put', object: { type: 'farmer', id, name: 'Device' } },
        { method: 'put', object: { type: 'user', id, name: 'Not synced' } },
      );
    }
    for (const limit of [1, 2, 3, 1000]) {
      const { entries, cursor } = await world.readAll(start, limit);
      expect(entries.slice(before).map(({ key }) => key.id)).toEqual(people);
      expect(cursor).toBe(await world.opened.gateway.readHead(signal));
      const sequences = entries.map(({ sequence }) => BigInt(sequence));
      expect(sequences).toEqual(sequences.toSorted((a, b) => (a < b ? -1 : 1)));
    }
  });

  it.each<Fault['mode']>(['repeat-page', 'overlap-page', 'reorder-page'])(
    'reads the log completely and each entry once though pages arrive with %s',
    async (mode) => {
      const head = await world.opened.gateway.readHead(signal);
      await world.deployment.device.edit(
        ...Array.from({ length: 15 }, () => ({
          method: 'put' as const,
          object: { type: 'farmer', id: randomUUID(), name: mode },
        })),
      );
      const undisturbed = await world.readAll(head, 1000);
      for (const limit of [1, 4, 1000]) {
        const disturb = (callNumber: number) => {
          if (callNumber % 2 === 1) world.simulator.faults.set({ mode, path: 'oplog', times: 1 });
        };
        expect(await world.readAll(head, limit, disturb)).toEqual(undisturbed);
      }
      // A reader that always receives the same page makes no progress.
      if (mode === 'repeat-page') return;
      world.simulator.faults.set({ mode, path: 'oplog' });
      expect(await world.readAll(head, 4)).toEqual(undisturbed);
    },
  );

  it('reads at most once a second, except for pages of one backlog', async () => {
    const people = Array.from({ length: 6 }, () => randomUUID());
    const head = await world.opened.gateway.readHead(signal);
    await world.deployment.device.edit(
      ...people.map((id) => ({ method: 'put' as const, object: { type: 'farmer', id, name: 'Quick' } })),
    );
    world.opened.requests.length = 0;
    const { cursor } = await world.readAll(head, 2);
    for (let idle = 0; idle < 3; idle += 1) await world.readAll(cursor, 2);
    const times = world.opened.requests.map(({ atMs }) => atMs);
    expect(times).toEqual([1000, 1000, 1000, 2000, 3000, 4000].map((atMs) => atMs + (times[0] ?? 0) - 1000));
  });

  it('reports entries pruned after the cursor, and only then', async () => {
    await world.deployment.device.edit({ method: 'put', object: { type: 'farmer', id: randomUUID(), name: 'First' } });
    const cursor = await world.opened.gateway.readHead(signal);
    for (const name of ['Second', 'Third'])
      await world.deployment.device.edit({ method: 'put', object: { type: 'farmer', id: randomUUID(), name } });
    const read = () => world.read(cursor, 10);
    expect(await read()).toMatchObject({ historyLost: false, entries: [{}, {}] });
    await world.deployment.dropOpLog({ keep: 1 });
    expect(await read()).toMatchObject({ historyLost: true, entries: [], cursor });
    await world.deployment.dropOpLog({ keep: 0 });
    expect(await read()).toMatchObject({ historyLost: true });
    expect(await world.opened.gateway.readHead(signal)).toBe('0');
  });
});

import { randomUUID } from 'node:crypto';
import { createPhoto } from '@portal/platforms/journey/create-photo.fixture';
import { smallSchema } from '@portal/simulators/journey/small-deployment';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { farmerFields, mapSmallDeployment, openTestGateway } from './journey-gateway.fixture.ts';
import type { JourneyEntry, JourneyWrite } from './journey-gateway.ts';
import {
  deploymentIds,
  farmer,
  type JourneyWorld,
  problemOf,
  signal,
  startJourneyWorld,
} from './journey-world.fixture.ts';
import { toBlobValue } from './known-attachments.ts';
import { DataModelChanged } from './stale-mapping.ts';

let world: JourneyWorld;
beforeAll(async () => {
  world = await startJourneyWorld();
});
afterAll(() => world.simulator.stop({ dropDatabase: true }));
beforeEach(() => world.open(deploymentIds.usual));
afterEach(() => world.simulator.faults.clear());

describe('Journey data model', () => {
  it('returns the same data model until it changes', async () => {
    const models = await world.opened.gateway.readModels(signal);
    expect(await world.opened.gateway.readModels(signal)).toBe(models);
    expect(world.opened.requests.at(-1)).toMatchObject({ path: 'datamodel.json', status: 304 });
    expect(models.userModel).toBe('user');
    expect(models.models.find(({ name }) => name === 'farmer')).toMatchObject({
      fields: expect.arrayContaining([
        { name: 'name', type: 'text', choices: [] },
        { name: 'grade', type: 'single-choice', choices: ['a', 'b'] },
        { name: 'tier', type: 'single-choice-integer', choices: ['1', '2'] },
        { name: 'active', type: 'boolean', choices: [] },
      ]),
      belongsTo: [{ name: 'region', model: 'region' }],
    });

    await world.deployment.deploy(smallSchema.replace('name="hectares"', 'name="acres"'));
    const changed = await world.opened.gateway.readModels(signal);
    expect(changed.hash).not.toBe(models.hash);
    expect(JSON.stringify(changed)).toContain('"acres"');
    await world.deployment.deploy(smallSchema);
    expect((await world.opened.gateway.readModels(signal)).hash).toBe(models.hash);
  });
});

describe('changed Journey data model', () => {
  const without = smallSchema.replace('name="hectares"', 'name="acres"');
  const mapNow = async () => mapSmallDeployment(await world.opened.gateway.readModels(signal));
  afterEach(() => world.deployment.deploy(smallSchema));

  it('withholds entries until the mapping is rebuilt, so that a removed field clears nothing', async () => {
    const id = randomUUID();
    const head = await world.opened.gateway.readHead(signal);
    await world.send(farmer(id, { hectares: 3 }));
    await world.deployment.deploy(without);
    const read = () => world.read(head, 10);
    for (let again = 0; again < 3; again += 1) {
      const page = await read();
      expect(page).toMatchObject({ entries: [], cursor: head, isLast: false, historyLost: false });
      expect(page.dataModelHash).not.toBe('');
    }
    world.mapping = await mapNow();
    const page = await read();
    expect(page.isLast).toBe(true);
    expect(page.entries[0]?.fields).not.toHaveProperty('hectares');
  });

  it('passes entries when nothing synced has changed, even if the mapping is not rebuilt', async () => {
    const head = await world.opened.gateway.readHead(signal);
    await world.send(farmer(randomUUID(), { hectares: 3 }));
    await world.deployment.deploy(smallSchema.replace('label="Hectares"', 'label="Ha"'));
    const read = () => world.read(head, 10);
    expect(await read()).toMatchObject({ entries: [], cursor: head, isLast: false });
    expect(await read()).toMatchObject({ entries: [{ fields: farmerFields({ hectares: 3 }) }], isLast: true });
  });

  it('does not list objects with an outdated mapping', async () => {
    await world.send(farmer(randomUUID(), { hectares: 3 }));
    await world.deployment.deploy(without);
    const problem = await problemOf(world.opened.gateway.listAfter(world.farmerMap(), null, 10, signal));
    expect(problem).toBeInstanceOf(DataModelChanged);
    expect(problem).toMatchObject({ hash: (await world.opened.gateway.readModels(signal)).hash });
    world.mapping = await mapNow();
    expect(await world.opened.gateway.listAfter(world.farmerMap(), null, 1, signal)).toHaveLength(1);
  });

  it('does not look up objects with an outdated mapping', async () => {
    const id = randomUUID();
    await world.send(farmer(id, { hectares: 3 }));
    await world.deployment.deploy(without);
    const problem = await problemOf(world.opened.gateway.listByIds(world.farmerMap(), [id], signal));
    expect(problem).toBeInstanceOf(DataModelChanged);
  });

  it('reports a removed model as a changed data model', async () => {
    const map = { ...world.farmerMap(), model: 'tractor' };
    for (const call of [
      world.opened.gateway.listAfter(map, null, 10, signal),
      world.opened.gateway.listByIds(map, [randomUUID()], signal),
    ])
      expect(await problemOf(call)).toBeInstanceOf(DataModelChanged);
  });
});

describe('time of the last deployment', () => {
  const path = 'info.json$';

  it('is not known where Journey itself answers that it does not offer it', async () => {
    expect(Date.parse(String(await world.opened.gateway.readDeployedAt(signal)))).toBeLessThanOrEqual(Date.now());
    for (const status of [404, 400]) {
      world.simulator.faults.set({ path, mode: 'error500', status });
      expect(await world.opened.gateway.readDeployedAt(signal)).toBeNull();
    }
  });

  it.each([
    [{ path, mode: 'html' }, 'unexpected-response'],
    [{ path, mode: 'html', status: 404 }, 'unexpected-response'],
    [{ path, mode: 'error500', status: 403 }, 'credentials-rejected'],
    [{ path, mode: 'error500' }, 'server-error'],
  ] as const)('is asked for again after %o', async (fault, kind) => {
    world.simulator.faults.set(fault);
    expect(await problemOf(world.opened.gateway.readDeployedAt(signal))).toMatchObject({ failure: { kind } });
  });
});

describe('Journey objects', () => {
  it('lists all objects by id, however small the pages, and counts its calls', async () => {
    await world.open(deploymentIds.large);
    const people = Array.from({ length: 5 }, () => randomUUID());
    await world.send(...people.map((id) => farmer(id, { name: 'Listed', active: true })));
    const map = world.farmerMap();
    const seen: JourneyEntry[] = [];
    for (let last: string | null = null; ; last = seen.at(-1)?.key.id ?? null) {
      const page = await world.opened.gateway.listAfter(map, last, 2, signal);
      seen.push(...page);
      if (page.length < 2) break;
    }
    const listed = seen.map(({ key }) => key.id);
    expect(listed).toEqual([...new Set(listed)].sort());
    expect(listed).toEqual(expect.arrayContaining(people));
    expect(seen).toHaveLength(await world.opened.client.count('farmer', { signal }));
    expect(seen.find(({ key }) => key.id === people[0])).toMatchObject({
      operation: 'update',
      fields: farmerFields({ name: 'Listed', active: true }),
    });
  });

  it('requests smaller pages when objects do not fit one response', async () => {
    const people = Array.from({ length: 8 }, () => randomUUID());
    const head = await world.opened.gateway.readHead(signal);
    await world.send(...people.map((id) => farmer(id, { name: 'x'.repeat(10_000) })));
    world.opened = openTestGateway(world.deployment, { maxResponseBytes: 100_000 });
    const map = world.farmerMap();
    const listed = await world.opened.gateway.listAfter(map, null, 1000, signal);
    expect(listed.map(({ key }) => key.id)).toEqual(expect.arrayContaining(people));
    expect((await world.readAll(head, 1000)).entries.map(({ key }) => key.id)).toEqual(people);
  });

  it('looks up objects in one call, and in smaller parts when they do not fit one response', async () => {
    const people = Array.from({ length: 8 }, () => randomUUID()).sort();
    await world.send(...people.map((id) => farmer(id, { name: 'x'.repeat(10_000) })));
    const ids = [...people, ...Array.from({ length: 992 }, () => randomUUID())];
    const map = world.farmerMap();
    const look = async () => {
      world.opened.requests.length = 0;
      const entries = await world.opened.gateway.listByIds(map, ids, signal);
      expect(entries.map(({ key }) => key.id)).toEqual(people);
      expect(entries[0]).toMatchObject({ operation: 'update', fields: { name: 'x'.repeat(10_000) } });
      return world.opened.requests.length;
    };
    expect(await look()).toBe(1);
    world.opened = openTestGateway(world.deployment, { maxResponseBytes: 60_000 });
    expect(await look()).toBeGreaterThan(2);
  });
});

describe('Journey files', () => {
  const photo = { bytes: createPhoto(100), fileName: 'Me & You.JPG', mediaType: 'image/jpeg' };
  const withPhoto = (id: string): JourneyWrite => ({
    ...farmer(id, { portrait: toBlobValue(photo.bytes) }),
    blobs: { portrait: photo },
  });

  it('downloads a file, and identifies it by its content once that is known', async () => {
    const id = randomUUID();
    const head = await world.opened.gateway.readHead(signal);
    const [sent] = await world.send(withPhoto(id));
    const [unknown] = (await world.readAll(head, 10)).entries;
    const attachment = unknown?.attachments?.portrait;
    expect(unknown?.fields).not.toHaveProperty('portrait');
    if (!attachment?.url) throw new Error('There is no attachment.');
    expect(sent).toEqual({ status: 'done', fileIds: { portrait: attachment.id } });
    const { id: fileId, url } = attachment;
    const fetched = await world.opened.gateway.fetchAttachment({ id: fileId, url, type: { kind: 'photo' } }, signal);
    expect(fetched).toEqual({ bytes: photo.bytes, fileName: 'me _ you.jpg', mediaType: 'image/jpeg' });

    world.opened.known.set(attachment.id, toBlobValue(photo.bytes));
    const [known] = (await world.readAll(head, 10)).entries;
    expect(known?.fields).toEqual(farmerFields({ portrait: toBlobValue(photo.bytes) }));
    await world.send({ key: { table: 'farmer', id }, method: 'patch', fields: { portrait: null } });
    expect((await world.readAll(head, 10)).entries[1]?.fields).toEqual(farmerFields({}));
  });

  it('names files that are not uploaded yet, without content', async () => {
    const [id, portraitId] = [randomUUID(), randomUUID()];
    const head = await world.opened.gateway.readHead(signal);
    await world.deployment.device.edit({ method: 'put', object: { type: 'farmer', id, portrait: { id: portraitId } } });
    const [entry] = (await world.readAll(head, 10)).entries;
    const { portrait: _, ...others } = farmerFields({});
    expect(entry?.fields).toEqual(others);
    expect(entry?.attachments).toEqual({ portrait: { id: portraitId, state: 'pending', url: null } });
    expect(entry?.problem).toBeUndefined();
  });

  it('sends files in calls of at most 8 MB, or in a call of their own', async () => {
    const blob = (megabytes: number) => ({ ...photo, bytes: Buffer.alloc(megabytes * 1_000_000, megabytes) });
    const sized = (megabytes: number): JourneyWrite => ({
      ...withPhoto(randomUUID()),
      blobs: { portrait: blob(megabytes) },
    });
    world.opened.requests.length = 0;
    const outcomes = await world.send(
      sized(2),
      sized(2),
      farmer(randomUUID()),
      sized(7),
      sized(1),
      farmer(randomUUID()),
    );
    expect(outcomes.every(({ status }) => status === 'done')).toBe(true);
    expect(world.opened.requests.map(({ path }) => path)).toEqual(['batch.json', 'batch.json', 'batch.json']);
  });
});

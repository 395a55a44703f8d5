import { randomUUID } from 'node:crypto';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { DeploymentHandle, Fault, JourneySimulator } from '@portal/platforms/journey/simulator';
import { SMALL_DEPLOYMENT, SMALL_SCHEMA } from '@portal/platforms/journey/simulator/small-deployment';
import { startTestJourney } from '@portal/platforms/journey/test-simulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Mapping } from '../mapping/object-map.ts';
import { farmerFields, mappingOfSmallDeployment, openTestEnd } from './journey-end.fixture.ts';
import type { JourneyEntry, JourneyWrite } from './journey-end.ts';
import { blobValueOf } from './known-attachments.ts';
import { DataModelChanged } from './stale-mapping.ts';

/** Two deployments, so that sequences beyond 2^53 are met on the way. */
const ids = { usual: SMALL_DEPLOYMENT.id, large: '5f1a2b3c4d5e6f7081920a0c' };
const signal = new AbortController().signal;

let simulator: JourneySimulator;
let deployment: DeploymentHandle;
let opened: ReturnType<typeof openTestEnd>;
let mapping: Mapping;

beforeAll(async () => {
  const large = { ...SMALL_DEPLOYMENT, id: ids.large, firstSequence: '9007199254740991' };
  simulator = await startTestJourney({ deployments: [SMALL_DEPLOYMENT, large] });
});
afterAll(() => simulator.stop({ dropDatabase: true }));
beforeEach(() => open(ids.usual));
afterEach(() => simulator.faults.clear());

async function open(id: string) {
  deployment = simulator.deployment(id);
  opened = openTestEnd(deployment);
  mapping = mappingOfSmallDeployment(await opened.end.readModels(signal));
}

const farmer = (id: string, given: Parameters<typeof farmerFields>[0] = {}): JourneyWrite => ({
  key: { table: 'farmer', id },
  method: 'put',
  fields: farmerFields(given),
});
const send = (...writes: JourneyWrite[]) => opened.end.send(mapping, writes, signal);
const problemOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (problem: unknown) => problem,
  );

async function readAll(cursor: string, limit: number, beforePage: (no: number) => void = () => undefined) {
  const entries: JourneyEntry[] = [];
  let at = cursor;
  for (let no = 0; ; no += 1) {
    beforePage(no);
    const page = await opened.end.readOpLog({ mapping, cursor: at, limit, signal });
    expect(page.historyLost).toBe(false);
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    entries.push(...page.entries);
    at = page.cursor;
    if (page.isLast) return { entries, cursor: at };
  }
}

describe('the data model', () => {
  it('is the same object until it changes', async () => {
    const models = await opened.end.readModels(signal);
    expect(await opened.end.readModels(signal)).toBe(models);
    expect(opened.asked.at(-1)).toMatchObject({ path: 'datamodel.json', status: 304 });
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

    await deployment.deploy(SMALL_SCHEMA.replace('name="hectares"', 'name="acres"'));
    const changed = await opened.end.readModels(signal);
    expect(changed.hash).not.toBe(models.hash);
    expect(JSON.stringify(changed)).toContain('"acres"');
    await deployment.deploy(SMALL_SCHEMA);
    expect((await opened.end.readModels(signal)).hash).toBe(models.hash);
  });
});

describe('a data model that has changed meanwhile', () => {
  const without = SMALL_SCHEMA.replace('name="hectares"', 'name="acres"');
  const mapNow = async () => mappingOfSmallDeployment(await opened.end.readModels(signal));
  const farmerMap = () => {
    const map = mapping.objects.find(({ table }) => table === 'farmer');
    if (!map) throw new Error('There is no farmer.');
    return map;
  };
  afterEach(() => deployment.deploy(SMALL_SCHEMA));

  it('withholds entries until the mapping has followed, so that a field that is gone clears nothing', async () => {
    const id = randomUUID();
    const head = await opened.end.readHead(signal);
    await send(farmer(id, { hectares: 3 }));
    await deployment.deploy(without);
    const read = () => opened.end.readOpLog({ mapping, cursor: head, limit: 10, signal });
    for (let again = 0; again < 3; again += 1) {
      const page = await read();
      expect(page).toMatchObject({ entries: [], cursor: head, isLast: false, historyLost: false });
      expect(page.dataModelHash).not.toBe('');
    }
    mapping = await mapNow();
    const page = await read();
    expect(page.isLast).toBe(true);
    expect(page.entries[0]?.fields).not.toHaveProperty('hectares');
  });

  it('passes entries where it changed nothing that is synced, whether or not anybody follows', async () => {
    const head = await opened.end.readHead(signal);
    await send(farmer(randomUUID(), { hectares: 3 }));
    await deployment.deploy(SMALL_SCHEMA.replace('label="Hectares"', 'label="Ha"'));
    const read = () => opened.end.readOpLog({ mapping, cursor: head, limit: 10, signal });
    expect(await read()).toMatchObject({ entries: [], cursor: head, isLast: false });
    expect(await read()).toMatchObject({ entries: [{ fields: farmerFields({ hectares: 3 }) }], isLast: true });
  });

  it('does not let objects be listed by a mapping that has not followed', async () => {
    await send(farmer(randomUUID(), { hectares: 3 }));
    await deployment.deploy(without);
    const problem = await problemOf(opened.end.listAfter(farmerMap(), null, 10, signal));
    expect(problem).toBeInstanceOf(DataModelChanged);
    expect(problem).toMatchObject({ hash: (await opened.end.readModels(signal)).hash });
    mapping = await mapNow();
    expect(await opened.end.listAfter(farmerMap(), null, 1, signal)).toHaveLength(1);
  });
});

describe('what is written', () => {
  it('comes back in the op-log as it was sent', async () => {
    const region = randomUUID();
    const id = randomUUID();
    const head = await opened.end.readHead(signal);
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
      await send(
        { key: { table: 'region', id: region }, method: 'put', fields: { name: 'East' } },
        farmer(id, whole),
        { key: { table: 'farmer', id }, method: 'patch', fields: { age: null, grade: 'a' } },
        { key: { table: 'region', id: region }, method: 'delete', fields: {} },
      ),
    ).toEqual([{ is: 'done' }, { is: 'done' }, { is: 'done' }, { is: 'done' }]);

    const { entries } = await readAll(head, 100);
    expect(entries.map(({ key, operation, fields }) => ({ key, operation, fields }))).toEqual([
      { key: { table: 'region', id: region }, operation: 'create', fields: { name: 'East' } },
      { key: { table: 'farmer', id }, operation: 'create', fields: whole },
      { key: { table: 'farmer', id }, operation: 'update', fields: { ...whole, age: null, grade: 'a' } },
      { key: { table: 'region', id: region }, operation: 'delete', fields: null },
    ]);
    for (const { changedAtMs, problem } of entries) {
      expect(changedAtMs % 1000).toBe(0);
      expect(changedAtMs).toBeGreaterThan(0);
      expect(problem).toBeUndefined();
    }
  });

  it('has an outcome each: what is gone, what is missing, what is refused', async () => {
    const id = randomUUID();
    const nobody = randomUUID();
    const outcomes = await send(
      farmer(id, { grade: 'z' }),
      { key: { table: 'farmer', id: nobody }, method: 'delete', fields: {} },
      { key: { table: 'farmer', id: nobody }, method: 'patch', fields: { age: 1 } },
      farmer(id, { hectares: Number.NaN }),
      farmer(id, { name: 'Good' }),
      { key: { table: 'farmer', id }, method: 'patch', fields: { grade: 'y' } },
    );
    expect(outcomes).toMatchObject([
      { is: 'refused', reason: expect.stringContaining("'grade'") },
      { is: 'done' },
      { is: 'missing' },
      { is: 'refused', reason: expect.stringContaining('hectares') },
      { is: 'done' },
      { is: 'refused' },
    ]);
    const kinds = outcomes.flatMap((outcome) => (outcome.is === 'refused' ? [outcome.kind] : []));
    expect(kinds[0]).toBe(kinds[2]);
    expect(kinds[0]).toMatch(/^INVALID_VALUE/);
    expect(kinds[0]).not.toMatch(/grade|z/);
  });

  it('may be sent again after an answer that was lost', async () => {
    const id = randomUUID();
    const head = await opened.end.readHead(signal);
    simulator.faults.set({ mode: 'drop', path: 'batch', times: 1 });
    const problem = await problemOf(send(farmer(id, { name: 'Once' })));
    expect(problem).toBeInstanceOf(JourneyProblem);
    expect(problem).toMatchObject({ mayBeApplied: true, failure: { kind: 'no-answer' } });
    expect(await send(farmer(id, { name: 'Once' }))).toEqual([{ is: 'done' }]);
    expect((await readAll(head, 100)).entries).toHaveLength(1);
  });

  it.each<[Fault['mode'], string]>([
    ['unauthorized', 'credentials-refused'],
    ['too-many-requests', 'rate-limited'],
    ['error500', 'server-trouble'],
    ['html', 'unexpected-answer'],
    ['half-batch', 'server-trouble'],
    ['half-body', 'no-answer'],
  ])('is thrown, not refused, when the call as a whole fails: %s', async (mode, kind) => {
    simulator.faults.set({ mode, path: 'batch', times: 1 });
    const problem = await problemOf(send(farmer(randomUUID()), farmer(randomUUID())));
    expect(problem).toMatchObject({ failure: { kind } });
  });
});

describe('the op-log', () => {
  it.each(['usual', 'large'] as const)('is read in pages from the beginning, %s sequences', async (which) => {
    await open(ids[which]);
    const before = (await readAll('0', 1000)).entries.length;
    const people = Array.from({ length: 7 }, () => randomUUID());
    for (const id of people) {
      await deployment.device.edit(
        { method: 'put', object: { type: 'farmer', id, name: 'Device' } },
        { method: 'put', object: { type: 'user', id, name: 'Not synced' } },
      );
    }
    for (const limit of [1, 2, 3, 1000]) {
      const { entries, cursor } = await readAll('0', limit);
      expect(entries.slice(before).map(({ key }) => key.id)).toEqual(people);
      expect(cursor).toBe(await opened.end.readHead(signal));
      const sequences = entries.map(({ sequence }) => BigInt(sequence));
      expect(sequences).toEqual(sequences.toSorted((a, b) => (a < b ? -1 : 1)));
    }
  });

  it.each<Fault['mode']>(['repeat-page', 'overlap-page', 'reorder-page'])(
    'is read whole and once each though pages come with %s',
    async (mode) => {
      await deployment.device.edit(
        ...Array.from({ length: 40 }, () => ({
          method: 'put' as const,
          object: { type: 'farmer', id: randomUUID(), name: mode },
        })),
      );
      const undisturbed = await readAll('0', 1000);
      for (const limit of [1, 4, 1000]) {
        const disturb = (no: number) => {
          if (no % 2 === 1) simulator.faults.set({ mode, path: 'oplog', times: 1 });
        };
        expect(await readAll('0', limit, disturb)).toEqual(undisturbed);
      }
      // Nobody gets on who is always told the same.
      if (mode === 'repeat-page') return;
      simulator.faults.set({ mode, path: 'oplog' });
      expect(await readAll('0', 4)).toEqual(undisturbed);
    },
  );

  it('is asked at most once a second, but for the pages of one backlog', async () => {
    const people = Array.from({ length: 6 }, () => randomUUID());
    const head = await opened.end.readHead(signal);
    await deployment.device.edit(
      ...people.map((id) => ({ method: 'put' as const, object: { type: 'farmer', id, name: 'Quick' } })),
    );
    opened.asked.length = 0;
    const { cursor } = await readAll(head, 2);
    for (let idle = 0; idle < 3; idle += 1) await readAll(cursor, 2);
    const times = opened.asked.map(({ atMs }) => atMs);
    expect(times).toEqual([1000, 1000, 1000, 2000, 3000, 4000].map((atMs) => atMs + (times[0] ?? 0) - 1000));
  });

  it('tells when what follows the cursor has been forgotten, and only then', async () => {
    await deployment.device.edit({ method: 'put', object: { type: 'farmer', id: randomUUID(), name: 'First' } });
    const away = await opened.end.readHead(signal);
    for (const name of ['Second', 'Third'])
      await deployment.device.edit({ method: 'put', object: { type: 'farmer', id: randomUUID(), name } });
    const read = () => opened.end.readOpLog({ mapping, cursor: away, limit: 10, signal });
    expect(await read()).toMatchObject({ historyLost: false, entries: [{}, {}] });
    await deployment.dropOpLog({ keep: 1 });
    expect(await read()).toMatchObject({ historyLost: true, entries: [], cursor: away });
    await deployment.dropOpLog({ keep: 0 });
    expect(await read()).toMatchObject({ historyLost: true });
    expect(await opened.end.readHead(signal)).toBe('0');
  });
});

describe('objects', () => {
  it('are listed whole by their ids, however small the pages, and counted', async () => {
    await open(ids.large);
    const people = Array.from({ length: 5 }, () => randomUUID());
    await send(...people.map((id) => farmer(id, { name: 'Listed', active: true })));
    const map = mapping.objects.find(({ table }) => table === 'farmer');
    if (!map) throw new Error('There is no farmer.');
    const seen: JourneyEntry[] = [];
    for (let last: string | null = null; ; last = seen.at(-1)?.key.id ?? null) {
      const page = await opened.end.listAfter(map, last, 2, signal);
      seen.push(...page);
      if (page.length < 2) break;
    }
    const listed = seen.map(({ key }) => key.id);
    expect(listed).toEqual([...new Set(listed)].sort());
    expect(listed).toEqual(expect.arrayContaining(people));
    expect(seen).toHaveLength(await opened.end.count('farmer', signal));
    expect(seen.find(({ key }) => key.id === people[0])).toMatchObject({
      operation: 'update',
      fields: farmerFields({ name: 'Listed', active: true }),
    });
  });

  it('that do not fit one answer are asked for in smaller pages', async () => {
    const people = Array.from({ length: 8 }, () => randomUUID());
    const head = await opened.end.readHead(signal);
    await send(...people.map((id) => farmer(id, { name: 'x'.repeat(10_000) })));
    opened = openTestEnd(deployment, { maxAnswerBytes: 100_000 });
    const map = mapping.objects.find(({ table }) => table === 'farmer');
    if (!map) throw new Error('There is no farmer.');
    const listed = await opened.end.listAfter(map, null, 1000, signal);
    expect(listed.map(({ key }) => key.id)).toEqual(expect.arrayContaining(people));
    expect((await readAll(head, 1000)).entries.map(({ key }) => key.id)).toEqual(people);
  });
});

describe('files', () => {
  const photo = { bytes: Buffer.from('a photo'), fileName: 'Me & You.JPG', mediaType: 'image/jpeg' };
  const withPhoto = (id: string): JourneyWrite => ({
    ...farmer(id, { portrait: blobValueOf(photo.bytes) }),
    blobs: { portrait: photo },
  });

  it('are fetched once, and known by their content from then on', async () => {
    const id = randomUUID();
    const head = await opened.end.readHead(signal);
    expect(await send(withPhoto(id))).toEqual([{ is: 'done' }]);
    const [unknown] = (await readAll(head, 10)).entries;
    const attachment = unknown?.attachments?.portrait;
    expect(unknown?.fields).not.toHaveProperty('portrait');
    if (!attachment) throw new Error('There is no attachment.');
    const fetched = await opened.end.fetchAttachment(attachment, signal);
    expect(fetched).toEqual({ bytes: photo.bytes, fileName: expect.stringMatching(/\.jpg$/), mediaType: 'image/jpeg' });

    const [known] = (await readAll(head, 10)).entries;
    expect(known?.attachments).toBeUndefined();
    expect(known?.fields).toEqual(farmerFields({ portrait: blobValueOf(photo.bytes) }));
    await send({ key: { table: 'farmer', id }, method: 'patch', fields: { portrait: null } });
    expect((await readAll(head, 10)).entries[1]?.fields).toEqual(farmerFields({}));
  });

  it('that are not uploaded yet are not spoken of', async () => {
    const id = randomUUID();
    const head = await opened.end.readHead(signal);
    await deployment.device.edit({ method: 'put', object: { type: 'farmer', id, portrait: { id: randomUUID() } } });
    const [entry] = (await readAll(head, 10)).entries;
    const { portrait: _, ...others } = farmerFields({});
    expect(entry?.fields).toEqual(others);
    expect(entry?.attachments).toBeUndefined();
    expect(entry?.problem).toBeUndefined();
  });

  it('go in calls of 8 MB at most, or alone', async () => {
    const blob = (megabytes: number) => ({ ...photo, bytes: Buffer.alloc(megabytes * 1_000_000, megabytes) });
    const sized = (megabytes: number): JourneyWrite => ({
      ...withPhoto(randomUUID()),
      blobs: { portrait: blob(megabytes) },
    });
    opened.asked.length = 0;
    const outcomes = await send(sized(2), sized(2), farmer(randomUUID()), sized(7), sized(1), farmer(randomUUID()));
    expect(outcomes.every(({ is }) => is === 'done')).toBe(true);
    expect(opened.asked.map(({ path }) => path)).toEqual(['batch.json', 'batch.json', 'batch.json']);
  });
});

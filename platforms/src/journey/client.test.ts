import { randomUUID } from 'node:crypto';
import { Secret } from '@portal/kit/secret';
import type { DeploymentHandle, JourneySimulator } from '@portal/simulators/journey/simulator';
import { smallDeployment, smallSchema } from '@portal/simulators/journey/small-deployment';
import { startTestJourney } from '@portal/simulators/journey/test-simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createJourneyClient, type JourneyClient, type JourneyClientOptions } from './client.ts';
import type { JourneyFailure } from './journey-problem.ts';
import { JourneyAttachment, type JourneyOperation } from './wire.ts';

const lateId = '5f1a2b3c4d5e6f7081920a0c';
const olderId = '5f1a2b3c4d5e6f7081920a0d';

let journey: JourneySimulator;
let client: JourneyClient;

beforeAll(async () => {
  journey = await startTestJourney({
    deployments: [
      smallDeployment,
      // Its sequences exceed 2^53 with the fourth write.
      { ...smallDeployment, id: lateId, firstSequence: '9007199254740989' },
      { ...smallDeployment, id: olderId, multiDevice: false },
    ],
  });
  client = createClient();
});
afterAll(() => journey.stop({ dropDatabase: true }));
afterEach(() => journey.faults.clear());

function createClient(id = smallDeployment.id, options: Partial<JourneyClientOptions> = {}): JourneyClient {
  const { userName, password } = journey.deployment(id);
  return createJourneyClient({ baseUrl: journey.baseUrl, userName, password: new Secret(password), ...options });
}

const small = (): DeploymentHandle => journey.deployment(smallDeployment.id);
const kind = (expected: JourneyFailure['kind'], more: object = {}) =>
  expect.objectContaining({ failure: expect.objectContaining({ kind: expected, ...more }) });

describe('Journey credentials', () => {
  it('work with every form of the base URL and as a token', async () => {
    const { url, userName } = small();
    const password = new Secret(small().password);
    for (const baseUrl of [url, `${url}/`, journey.baseUrl, `${journey.baseUrl}/api/v4`]) {
      expect(await createJourneyClient({ baseUrl, userName, password }).info()).toMatchObject({ app_label: 'Farmers' });
    }
    const token = new Secret('token-of-the-sync');
    expect(await createJourneyClient({ baseUrl: url, token }).info()).toMatchObject({ environment: 'testing' });
  });

  it('distinguishes wrong credentials from an unknown deployment', async () => {
    const { url, userName } = small();
    const wrong = createJourneyClient({ baseUrl: url, userName, password: new Secret('wrong') });
    await expect(wrong.info()).rejects.toEqual(kind('credentials-rejected'));
    const unauthorized = createJourneyClient({ baseUrl: url, token: new Secret('wrong') });
    await expect(unauthorized.info()).rejects.toEqual(kind('credentials-rejected'));
    const [unknown, password] = ['0'.repeat(24), new Secret('journey-secret')];
    const lost = createJourneyClient({ baseUrl: journey.baseUrl, userName: unknown, password });
    await expect(lost.info()).rejects.toEqual(kind('not-found', { type: 'ACCOUNT_NOT_FOUND' }));
  });
});

describe('Journey data model', () => {
  it('returns the data model once and again only after a new deployment', async () => {
    const older = createClient(olderId);
    const first = await older.dataModel();
    if (first === 'unchanged') throw new Error('no model was known yet');
    expect(first.model.models.farmer?.fields.active).toMatchObject({
      type: 'boolean',
      options: expect.arrayContaining([
        expect.objectContaining({ key: true }),
        expect.objectContaining({ key: false }),
      ]),
    });
    expect(first.model.models.farmer?.belongs_to).toMatchObject({ region: { model: 'region' } });
    expect(first.model.app_user).toBe('user');
    expect(await older.dataModel({ etag: first.etag })).toBe('unchanged');
    const { hash } = await journey.deployment(olderId).deploy(smallSchema.replace('label="Age"', 'label="Years"'));
    expect(await older.dataModel({ etag: first.etag })).toMatchObject({ model: { datamodel_hash: hash } });
  });
});

describe('Journey objects', () => {
  it('creates, reads, changes, and removes an object', async () => {
    const id = randomUUID();
    const put = await client.put('farmer', id, { name: 'Thandi', active: true, age: 31, crops: ['tea'] });
    expect(put).toMatchObject({ id, type: 'farmer', name: 'Thandi', active: { key: true, display: 'Yes' } });
    expect(await client.patch('farmer', id, { age: 32, crops: null })).toMatchObject({ name: 'Thandi', age: 32 });
    expect(await client.get('farmer', id)).toMatchObject({ age: 32, active: { key: true } });
    expect(await client.put('farmer', id, { name: 'Thandi M' })).not.toMatchObject({ age: 32 });
    await client.remove('farmer', id);
    for (const missing of [
      client.get('farmer', id),
      client.remove('farmer', id),
      client.patch('farmer', id, { age: 1 }),
    ]) {
      await expect(missing).rejects.toEqual(kind('not-found', { type: 'OBJECT_NOT_FOUND' }));
    }
  });

  it('returns Journey’s own message for an invalid object', async () => {
    const wrong = client.put('farmer', randomUUID(), { grade: 'x' });
    await expect(wrong).rejects.toEqual(kind('invalid-request', { type: 'INVALID_VALUE' }));
    await expect(wrong).rejects.toMatchObject({ message: expect.stringContaining('grade'), mayBeApplied: false });
    await expect(client.list('tractor')).rejects.toEqual(kind('not-found'));
  });

  it('lists, filters, sorts, and counts objects', async () => {
    const village = randomUUID().slice(0, 8);
    for (const age of [3, 1, 2]) await client.put('farmer', randomUUID(), { name: village, age });
    const listed = await client.list('farmer', {
      filter: { name: village, 'age.gte': 2 },
      sort: { age: 'desc' },
      total: true,
    });
    expect(listed).toMatchObject({ objects: [{ age: 3 }, { age: 2 }], total: 2, more: false });
    expect(await client.list('farmer', { filter: { name: village }, limit: 2 })).toMatchObject({ more: true });
    expect(await client.list('farmer', { filter: { name: village }, skip: 2 })).toMatchObject({ more: false });
    expect(await client.count('farmer')).toBeGreaterThanOrEqual(3);
  });

  it('reads every page and each object once while other objects change', async () => {
    const ids = Array.from({ length: 57 }, () => randomUUID()).sort();
    await client.batch(ids.map((id) => ({ method: 'put', object: { type: 'region', id, name: id } })));
    const read: string[] = [];
    for (let hasMore = true; hasMore; ) {
      const page = await client.listAfter('region', read.at(-1), 10);
      read.push(...page.objects.map(({ id }) => id));
      hasMore = page.hasMore;
      const [first = ''] = read;
      // With `skip`, one of the following objects would be missing now.
      if (read.length === 10) await client.remove('region', first);
    }
    expect(read).toEqual(ids);
    expect(await client.listAfter('region', ids.at(-1), 10)).toEqual({ objects: [], unreadable: 0, hasMore: false });
  });

  it('reads those of many objects that exist', async () => {
    const ids = Array.from({ length: 1_000 }, () => randomUUID()).sort();
    const created = ids.filter((_, index) => index % 3 === 0);
    await client.batch(created.map((id) => ({ method: 'put', object: { type: 'region', id, name: id } })));
    const { objects, hasMore } = await client.listByIds('region', ids);
    expect(objects.map(({ id }) => id)).toEqual(created);
    expect(hasMore).toBe(false);
    expect(await client.listByIds('region', [randomUUID()])).toEqual({ objects: [], unreadable: 0, hasMore: false });
  });
});

describe('Journey batch', () => {
  const delivered = (operations: readonly JourneyOperation[]) =>
    client.batch(operations).then((results) => results.map((result) => (result.success ? 'done' : result.error.type)));

  it('reports the result of each operation', async () => {
    const [id, missing] = [randomUUID(), randomUUID()];
    expect(
      await delivered([
        { method: 'put', object: { type: 'farmer', id, name: 'A' } },
        { method: 'patch', object: { type: 'farmer', id, grade: 'x' } },
        { method: 'patch', object: { type: 'farmer', id: missing, name: 'B' } },
        { method: 'delete', object: { type: 'farmer', id: missing } },
        { method: 'patch', object: { type: 'farmer', id, name: 'C' } },
      ]),
    ).toEqual(['done', 'INVALID_VALUE', 'OBJECT_NOT_FOUND', 'OBJECT_NOT_FOUND', 'done']);
    expect(await client.get('farmer', id)).toMatchObject({ name: 'C' });
  });

  it('accepts a thousand operations and can be repeated when its response was lost', async () => {
    const ids = Array.from({ length: 1_000 }, () => randomUUID());
    const puts = ids.map((id): JourneyOperation => ({ method: 'put', object: { type: 'region', id, name: 'R' } }));
    journey.faults.set({ mode: 'drop', path: 'batch', times: 1 });
    await expect(client.batch(puts)).rejects.toMatchObject({ failure: { kind: 'no-response' }, mayBeApplied: true });
    expect(await client.get('region', ids[999] ?? '')).toMatchObject({ name: 'R' });
    const before = await small().writes();
    expect(new Set(await delivered(puts))).toEqual(new Set(['done']));
    expect(await small().writes()).toEqual(before);
  });
});

describe('Journey op-log', () => {
  it('returns every change from a start with exact sequence numbers', async () => {
    const late = createClient(lateId);
    const id = randomUUID();
    for (const age of [1, 2, 3, 4, 5]) await late.put('farmer', id, { age });
    await late.remove('farmer', id);
    const read: string[][] = [];
    let start = '1';
    for (let hasMore = true; hasMore; ) {
      const page = await late.opLog({ start, limit: 2 });
      for (const { sequence, operation, object } of page.entries) read.push([sequence, operation, object.id]);
      ({ hasMore, nextStart: start } = page);
    }
    expect(read).toEqual([
      ['9007199254740989', 'create', id],
      ['9007199254740990', 'update', id],
      ['9007199254740991', 'update', id],
      ['9007199254740992', 'update', id],
      ['9007199254740993', 'update', id],
      ['9007199254740994', 'delete', id],
    ]);
    expect(await late.opLog({ start })).toMatchObject({ entries: [], hasMore: false, nextStart: start });
    expect(await late.opLogTail(2)).toMatchObject({
      entries: [{ sequence: '9007199254740993' }, { sequence: '9007199254740994' }],
      nextStart: '9007199254740995',
      hasMore: false,
    });
  });

  it('includes changes by devices and the data model of each object', async () => {
    const { nextStart } = await client.opLogTail(1);
    const id = randomUUID();
    await small().device.edit({ method: 'put', object: { type: 'farmer', id, name: 'D' } });
    const dataModel = await client.dataModel();
    const page = await client.opLog({ start: nextStart });
    expect(page.entries).toMatchObject([{ operation: 'create', object: { id, type: 'farmer', name: 'D' } }]);
    expect(dataModel).toMatchObject({ model: { datamodel_hash: page.datamodelHash } });
  });
});

describe('Journey users', () => {
  it('lock, enroll, sign in again, and wipe users with several devices', async () => {
    const id = randomUUID();
    await client.put('user', id, { name: 'U' });
    await client.lockUser(id);
    expect(await client.user(id)).toMatchObject({ id, locked: true, sessions: [] });
    await client.unlockUser(id);
    const { token } = await client.authenticationToken(id);
    const session = await small().device.enroll(token);
    const readState = async () => (await client.user(id)).sessions?.map(({ id: own, state }) => [own, state]);
    expect(await readState()).toEqual([[session, 'ENROLLED']]);
    await client.reAuthenticate(id, session);
    expect(await readState()).toEqual([[session, 'LOCKED']]);
    await client.wipe(id, session);
    expect(await readState()).toEqual([[session, 'RESET']]);
    const { objects } = await client.users();
    expect(objects).toContainEqual(expect.objectContaining({ id, enrolled: expect.any(Boolean), locked: false }));
    await expect(client.lockUser(randomUUID())).rejects.toEqual(kind('not-found'));
  });

  it('re-enroll a user with one device', async () => {
    const older = createClient(olderId);
    const id = randomUUID();
    const { enrollment } = await older.put('user', id, { name: 'U' });
    await older.reEnroll('user', id);
    expect(await older.get('user', id)).not.toMatchObject({ enrollment });
  });
});

it('downloads an attachment unchanged', async () => {
  const bytes = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x3c]);
  const id = randomUUID();
  await client.put('farmer', id, { portrait: { base64: bytes.toString('base64'), filename: 'me.jpg' } });
  const portrait = JourneyAttachment.parse((await client.get('farmer', id)).portrait);
  const file = await client.attachment(portrait.original ?? '', { kind: 'photo' });
  expect(file.bytes).toEqual(bytes);
  expect(file.mediaType).toBe('image/jpeg');
});

describe.runIf(process.env.JOURNEY_URL)('Journey deployment at JOURNEY_URL', () => {
  const real = (wrong = '') =>
    createJourneyClient({
      baseUrl: process.env.JOURNEY_URL ?? '',
      userName: process.env.JOURNEY_USER ?? '',
      password: new Secret((process.env.JOURNEY_PASSWORD ?? '') + wrong),
    });

  it('reads its model, the first objects of a model, and the end of its op-log', async () => {
    const deployment = real();
    await deployment.info();
    const current = await deployment.dataModel();
    if (current === 'unchanged') throw new Error('no model was known yet');
    expect(await deployment.dataModel({ etag: current.etag })).toBe('unchanged');
    const [model = ''] = Object.keys(current.model.models);
    const { objects, hasMore } = await deployment.listAfter(model, undefined, 2);
    if (hasMore) expect((await deployment.listAfter(model, objects.at(-1)?.id, 2)).objects).not.toEqual(objects);
    expect(await deployment.count(model)).toBeGreaterThanOrEqual(objects.length);
    const tail = await deployment.opLogTail(2);
    expect(tail.datamodelHash).toBe(current.model.datamodel_hash);
    expect((await deployment.opLog({ start: tail.nextStart, limit: 2 })).entries.length).toBeLessThanOrEqual(2);
  });

  it('rejects a wrong password', async () => {
    await expect(real('x').info()).rejects.toEqual(kind('credentials-rejected'));
  });
});

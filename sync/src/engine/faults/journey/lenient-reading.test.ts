/**
 * Answers of Journey that its official client reads, although the documents promise more. Both
 * sides become equal, and what Journey refuses is held after one call.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { createWorldForAllTests, world } from '../../testing/each-world.fixture.ts';
import { deleteRegion, insertRegion, renameRegion, waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type JsonObject, type ResponseProxy, startResponseProxy } from '../../testing/response-proxy.fixture.ts';

let proxy: ResponseProxy;
afterEach(async () => {
  await world.stopRuns();
  await proxy.stop();
});

const [changed, deleted, deletedInHelium] = [randomUUID(), randomUUID(), randomUUID()];

createWorldForAllTests(async () => {
  for (const id of [changed, deleted, deletedInHelium]) await insertRegion(world, `region ${id}`, null, id);
  for (const name of ['first', 'second'])
    await world.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name } });
  world.start();
  await world.waitUntilEqual();
});

/** Changes each part of a body that is an object, from the inside out. */
function changeParts(body: unknown, change: (part: JsonObject) => unknown): unknown {
  if (Array.isArray(body)) return body.map((part) => changeParts(part, change));
  if (typeof body !== 'object' || body === null) return body;
  return change(Object.fromEntries(Object.entries(body).map(([key, part]) => [key, changeParts(part, change)])));
}

const without =
  (...keys: string[]) =>
  (part: JsonObject) =>
    Object.fromEntries(Object.entries(part).filter(([key]) => !keys.includes(key)));
const everywhere = (change: (part: JsonObject) => unknown) => (body: JsonObject) => changeParts(body, change);
const list = /\/query\.json|\/objects\/\w+\.json/;
const opLog = /\/oplog\.json/;
const dataModel = /\/datamodel\.json/;
const batch = /\/batch\.json/;

async function editEverything(): Promise<void> {
  await insertRegion(world, 'inserted');
  await renameRegion(world, changed, 'renamed');
  await deleteRegion(world, deletedInHelium);
  await world.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'created' } });
  await world.edit({ method: 'patch', object: { type: 'region', id: changed, code: 7 } });
  await world.edit({ method: 'delete', object: { type: 'region', id: deleted } });
}

const isEmpty = (part: unknown) => JSON.stringify(part) === '{}';

interface Row {
  readonly what: string;
  readonly matches: RegExp;
  readonly change: (body: JsonObject) => unknown;
}

const withoutType = (part: JsonObject) =>
  'operation' in part ? { ...part, object: without('type')(part.object as JsonObject) } : part;
const rows: readonly Row[] = [
  { what: 'lists without `more`', matches: list, change: without('more') },
  { what: 'lists whose `more` is null', matches: list, change: (body) => ({ ...body, more: null }) },
  { what: 'lists of objects without a type', matches: list, change: everywhere(without('type')) },
  {
    what: 'deletions without a type',
    matches: opLog,
    change: everywhere((part) => (part.operation === 'delete' ? withoutType(part) : part)),
  },
  { what: 'entries without a type', matches: opLog, change: everywhere(withoutType) },
  { what: 'entries without a sequence', matches: opLog, change: everywhere(without('sequence_id', 'sequence')) },
  {
    what: 'one entry without a sequence per page',
    matches: opLog,
    change: (body) => ({
      ...body,
      entries: (body.entries as JsonObject[]).map((entry, index) =>
        index === 1 ? without('sequence_id')(entry) : entry,
      ),
    }),
  },
  { what: 'an op-log without the hash of the data model', matches: opLog, change: without('datamodel_hash') },
  { what: 'a data model without its hash', matches: dataModel, change: without('datamodel_hash') },
  {
    what: 'a data model whose `belongs_to` is null',
    matches: dataModel,
    change: everywhere((part) =>
      'belongs_to' in part && isEmpty(part.belongs_to) ? { ...part, belongs_to: null } : part,
    ),
  },
  {
    what: 'a data model whose relations have no name',
    matches: dataModel,
    change: everywhere((part) => ('inverse_of' in part ? without('name')(part) : part)),
  },
  { what: 'results without `success`', matches: batch, change: everywhere(without('success')) },
  { what: 'results without `method` and `object`', matches: batch, change: everywhere(without('method', 'object')) },
  {
    what: 'results whose methods are in capitals',
    matches: batch,
    change: everywhere((part) => ('method' in part ? { ...part, method: String(part.method).toUpperCase() } : part)),
  },
];

test.each(rows)('makes both sides equal despite $what', async ({ matches, change }) => {
  proxy = await startResponseProxy(world);
  proxy.rewrite(matches, change);
  const run = world.startWithRestarts(proxy.through);
  await editEverything();
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toMatchObject({ [`region/${changed}`]: { name: 'renamed', code: 7 } });
  expect(run.interruptions).toEqual([]);
  expect(await world.held()).toEqual([]);
  // A comparison lists everything, and finds nothing to repair.
  await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
  run.wake();
  await waitForLog(world, /Compared region: 5 records, all equal/);
});

test.each([
  ['is null', () => null],
  ['has no id', without('id')],
])('deletes nothing, warns and syncs all others when a listed object %s', async (_, spoil) => {
  proxy = await startResponseProxy(world);
  proxy.rewrite(list, (body) => ({
    ...body,
    objects: (body.objects as JsonObject[]).map((object) => (object.id === changed ? spoil(object) : object)),
  }));
  const run = world.startWithRestarts(proxy.through);
  await world.sql('update __portal_sync__.run set comparison_requested_at = now()');
  await waitForLog(world, /Compared region/);
  await waitForLog(world, /^WARNING Journey lists objects of region that cannot be read/);
  await editEverything();
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toHaveProperty([`region/${changed}`, 'name'], 'renamed');
  expect(run.interruptions).toEqual([]);
  expect(await world.held()).toEqual([]);
});

test.each([
  ['is null', { object: null }],
  ['is missing', { object: undefined }],
])('makes both sides equal, and holds the entry, when the object of an entry %s', async (_, spoiled) => {
  proxy = await startResponseProxy(world);
  const created = randomUUID();
  proxy.rewrite(opLog, (body) => ({
    ...body,
    entries: (body.entries as JsonObject[]).map((entry) =>
      (entry.object as JsonObject).id === created ? { ...entry, ...spoiled } : entry,
    ),
  }));
  const run = world.startWithRestarts(proxy.through);
  await world.edit({ method: 'put', object: { type: 'region', id: created, name: 'created' } });
  await editEverything();
  await world.waitUntilEqual();
  expect(await world.held()).toMatchObject([{ state: 'dead', table: 'op-log' }]);
  expect(run.interruptions).toEqual([]);
});

describe('a refused write', () => {
  const error = { type: 'INVALID_VALUE', title: 'Invalid', detail: 'Invalid option "x" for field \'status\'.' };
  test.each([
    ['an error only', { error }, error.detail],
    ['an error and no `success`', { method: 'put', object: {}, error }, error.detail],
    ['an error without a type', { success: false, error: without('type')(error) }, error.detail],
    ['an error that is a text', { success: false, error: 'No.' }, 'No.'],
    ['no error', { success: false }, 'Journey refuses this write, and does not say why.'],
    ['`skipped`', { skipped: true }, 'Journey skips this write, and does not say why.'],
  ])('is held after one call with the words of Journey when its result is %s', async (_, result, reason) => {
    proxy = await startResponseProxy(world);
    const refused = randomUUID();
    proxy.failOperations(({ object }) => (object.id === refused ? 'INVALID_VALUE' : null));
    proxy.rewrite(batch, (body) => ({
      ...body,
      operations: (body.operations as JsonObject[]).map((one) =>
        (one.object as JsonObject).id === refused ? result : one,
      ),
    }));
    const run = world.startWithRestarts(proxy.through);
    await insertRegion(world, 'refused', null, refused);
    await editEverything();
    const later = await insertRegion(world, 'later');
    await waitUntil(async () => `region/${later}` in (await world.journeyRows()));
    await waitUntil(async () => (await world.held()).length > 0);
    expect(await world.held()).toMatchObject([{ state: 'dead', table: 'region', id: refused, reason }]);
    expect(proxy.operations.filter((one) => one.includes(refused))).toHaveLength(1);
    expect(run.interruptions).toEqual([]);
  });

  test('does not hold up the writes that Journey skips after it', async () => {
    proxy = await startResponseProxy(world);
    const refused = randomUUID();
    proxy.failOperations(({ object }) => (object.id === refused ? 'INVALID_VALUE' : null));
    let isFirst = true;
    proxy.rewrite(batch, (body) => {
      const at = (body.operations as JsonObject[]).findIndex(({ error }) => error !== undefined);
      const operations = (body.operations as JsonObject[]).map((one, index) =>
        isFirst && at >= 0 && index > at ? { method: one.method, object: one.object, skipped: true } : one,
      );
      if (at >= 0) isFirst = false;
      return { ...body, operations };
    });
    await insertRegion(world, 'refused', null, refused);
    const later = await insertRegion(world, 'later');
    world.startWithRestarts(proxy.through);
    await waitUntil(async () => `region/${later}` in (await world.journeyRows()));
    await waitUntil(async () => (await world.held()).length > 0);
    expect(await world.held()).toMatchObject([{ state: 'dead', id: refused }]);
  });
});

import { heliumPaths } from '@portal/platforms/helium/wire';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HeliumSimulator, SimulatedAppHandle } from './simulator.ts';
import { startTestSimulator } from './test-simulator.ts';

let simulator: HeliumSimulator;
let clinic: SimulatedAppHandle;
let asApp: pg.Client;

beforeAll(async () => {
  simulator = await startTestSimulator();
  clinic = simulator.app('Clinic Visits');
  asApp = new pg.Client(clinic.url);
  await asApp.connect();
});
afterAll(async () => {
  await asApp.end();
  await simulator.stop({ dropDatabases: true });
});

const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
beforeEach(() => asApp.query(`delete from visit where _id_ = '${id}'`));

async function call(method: string, path: string, body?: unknown, user = 'demo:demo') {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = {
    authorization: `Basic ${btoa(user)}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const response = await fetch(`${simulator.baseUrl}${heliumPaths.data(clinic.id)}/${path}`, {
    method,
    headers,
    ...json,
  });
  const text = await response.text();
  return {
    status: response.status,
    body: response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
  };
}
const lastLogged = async () =>
  (await asApp.query('select change, object_name from __he_sync_obj_change__ order by seq desc limit 1')).rows[0];
const anyRegion = async () =>
  (await asApp.query('select _id_ as id from region order by 1 limit 1')).rows[0].id as string;

describe('simulated data API', () => {
  it('creates an object with the language’s names and types and returns it unchanged', async () => {
    const attributes = {
      reference: 'V9',
      status: 'Open',
      seenOn: Date.UTC(2026, 4, 1),
      closedAt: Date.UTC(2026, 4, 2, 13, 45, 10),
      weight: 12.5,
      urgent: true,
      followUps: 2,
    };
    expect(await call('POST', `Visit/${id}`, { attributes })).toEqual({
      status: 201,
      body: { uuid: id, attributes, relationships: {} },
    });
    expect(await call('GET', `Visit/${id}`)).toMatchObject({ status: 200, body: { attributes } });
    expect(await lastLogged()).toEqual({ change: 'create', object_name: 'visit' });
  });

  it('leaves attributes unchanged that are omitted from an update', async () => {
    await call('POST', `Visit/${id}`, { attributes: { reference: 'V9', weight: 3 } });
    const { status, body } = await call('POST', `Visit/${id}`, { attributes: { weight: 4 } });
    expect(status).toBe(200);
    expect(body.attributes).toMatchObject({ reference: 'V9', weight: 4 });
    expect(await lastLogged()).toEqual({ change: 'update', object_name: 'visit' });
  });

  it('appears as web services in the transaction log', async () => {
    await call('POST', `Visit/${id}`, { attributes: {} });
    const { rows } = await asApp.query(
      `select identity_id from __he_sync_transaction_log__ join visit on _tx_id_ = tx_id where _id_ = '${id}'`,
    );
    expect(rows).toEqual([{ identity_id: '00000000-0000-0000-0000-000000000003' }]);
  });

  it('lists and deletes objects', async () => {
    await call('POST', `Visit/${id}`, { attributes: {} });
    const listed = await call('GET', 'Visit');
    expect(listed.body.map(({ uuid }: { uuid: string }) => uuid)).toContain(id);
    expect(await call('DELETE', `Visit/${id}`)).toMatchObject({ status: 204 });
    expect(await call('GET', `Visit/${id}`)).toMatchObject({ status: 404 });
    expect(await call('DELETE', `Visit/${id}`)).toMatchObject({ status: 404 });
  });

  it('links and unlinks a to-one relation as an update of the row', async () => {
    const region = await anyRegion();
    await call('POST', `Visit/${id}`, { attributes: {} });
    expect((await call('POST', `Visit/${id}/region/${region}`)).status).toBe(204);
    expect((await call('GET', `Visit/${id}`)).body.relationships).toEqual({ region: `Region/${region}` });
    expect(await lastLogged()).toEqual({ change: 'update', object_name: 'visit' });
    expect((await call('DELETE', `Visit/${id}/region/${region}`)).status).toBe(204);
    expect((await call('GET', `Visit/${id}`)).body.relationships).toEqual({});
    expect((await call('DELETE', `Visit/${id}/region/${region}`)).status).toBe(404);
  });

  it('links a to-many relation and logs its removal in a separate log', async () => {
    const region = await anyRegion();
    const nurse = '3f2504e0-4f89-41d3-9a0c-0305e82c3302';
    await call('POST', `Nurse/${nurse}`, { attributes: { badge: 'N9', _firstNames: 'Grace' } });
    expect((await call('POST', `Nurse/${nurse}/regions/${region}`)).status).toBe(204);
    expect((await call('DELETE', `Nurse/${nurse}/regions/${region}`)).status).toBe(204);
    const { rows } = await asApp.query(
      'select relationship_name, left_uuid, right_uuid from __he_sync_many_to_many_unlink__',
    );
    expect(rows).toEqual([{ relationship_name: 'nurse_regions', left_uuid: nurse, right_uuid: region }]);
  });

  it.each([
    ['GET', 'Nothing', undefined, 404],
    ['GET', 'Visit/not-a-uuid', undefined, 400],
    ['POST', `Visit/${id}`, { attributes: { color: 'red' } }, 400],
    ['POST', `Visit/${id}`, { attributes: { weight: 'heavy' } }, 400],
    ['POST', `Visit/${id}`, { attributes: { followUps: 1e12 } }, 400],
    ['POST', `Visit/${id}/doctor/${id}`, undefined, 404],
    ['POST', `Nurse/${id}/regions/${id}`, undefined, 400],
  ])('responds to %s %s with %j with status %i', async (method, path, body, status) => {
    expect((await call(method, path, body)).status).toBe(status);
  });

  it('requires credentials', async () => {
    expect(await call('GET', 'Visit', undefined, 'demo:wrong')).toEqual({ status: 401, body: '' });
    expect((await call('GET', 'Visit', undefined, 'farm.dev:farm')).status).toBe(404);
    expect((await call('DELETE', `Visit/${id}`, undefined, 'viewer:viewer')).status).toBe(403);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import type { JourneySimulator } from './simulator.ts';
import { smallDeployment } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

let simulator: JourneySimulator;
let call: Caller;

beforeAll(async () => {
  simulator = await startTestJourney();
  call = createCaller(simulator.deployment(smallDeployment.id));
});
afterAll(() => simulator.stop({ dropDatabase: true }));

const full = {
  name: 'Thandi M',
  age: 41,
  hectares: 3.5,
  active: true,
  born_on: '1983-02-28T12:00:00+02:00',
  seen_at: '2024-02-22T16:00:53.987+02:00',
  grade: 'a',
  tier: 2,
  crops: ['tea', 'maize', 'tea'],
  home: { latitude: -15.4, longitude: 28.3, timestamp: '2024-02-22T14:00:53.5Z' },
};

describe('simulated objects', () => {
  it('creates an object and returns every field as documented', async () => {
    const region = await call('POST', 'objects/region.json', { region: { name: 'Chipata' } });
    expect(region).toMatchObject({ status: 201, body: { type: 'region', display: 'Chipata' } });
    const created = await call('POST', 'objects/farmer.json', { farmer: { ...full, region_id: region.body.id } });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'farmer',
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      display: 'Thandi M (Chipata)',
      name: 'Thandi M',
      age: 41,
      hectares: 3.5,
      active: { key: true, display: 'Yes' },
      born_on: '1983-02-28',
      seen_at: '2024-02-22T14:00:53Z',
      grade: { key: 'a', display: 'A & better' },
      tier: { key: 2, display: 'Second' },
      crops: [
        { key: 'tea', display: 'Tea' },
        { key: 'maize', display: 'Maize' },
      ],
      home: {
        latitude: -15.4,
        longitude: 28.3,
        altitude: null,
        horizontal_accuracy: null,
        vertical_accuracy: null,
        timestamp: '2024-02-22T14:00:53Z',
      },
      portrait: null,
      portrait_id: null,
      consent: null,
      consent_id: null,
      contract: null,
      contract_id: null,
      region_id: region.body.id,
    });
    expect(await call('GET', `objects/farmer/${created.body.id}.json`)).toMatchObject({
      status: 200,
      body: created.body,
    });
  });

  it('reads a location as the list that official clients write', async () => {
    const home = [-15.4, 28.3, null, 5, null, '2024-02-22T14:00:53Z'];
    expect(await call('POST', 'objects/farmer.json', { farmer: { home } })).toMatchObject({
      status: 201,
      body: { home: { latitude: -15.4, longitude: 28.3, horizontal_accuracy: 5, timestamp: '2024-02-22T14:00:53Z' } },
    });
  });

  it('patches, clears with null, replaces, and deletes an object', async () => {
    const id = randomUUID();
    const path = `objects/farmer/${id}.json`;
    expect(await call('PATCH', path, { farmer: { age: 1 } })).toMatchObject({
      status: 404,
      body: { type: 'OBJECT_NOT_FOUND', detail: `No farmer found with ID: '${id}'` },
    });
    expect(await call('PUT', path, { farmer: { name: 'A', age: 1, active: false } })).toMatchObject({
      status: 200,
      body: { id, name: 'A', age: 1, active: { key: false, display: 'No' } },
    });
    const patched = await call('PATCH', path, { farmer: { age: 2, active: null } });
    expect(patched).toMatchObject({ status: 200, body: { name: 'A', age: 2, active: null } });
    expect((await call('PUT', path, { farmer: { age: 3 } })).body).toMatchObject({ name: null, age: 3 });
    expect(await call('DELETE', path)).toMatchObject({ status: 200, body: {} });
    expect((await call('DELETE', path)).body.type).toBe('OBJECT_NOT_FOUND');
    expect((await call('GET', path)).status).toBe(404);
  });

  it('accepts an object as it was read, with choices as plain keys', async () => {
    const { body } = await call('POST', 'objects/region.json', { region: { name: 'Mongu' } });
    expect(await call('PUT', `objects/region/${body.id}.json`, { region: body })).toMatchObject({ status: 200, body });
    const choice = await call('POST', 'objects/farmer.json', { farmer: { grade: { key: 'a', display: 'A' } } });
    expect(choice).toMatchObject({ status: 422, body: { type: 'INVALID_VALUE' } });
  });

  it.each([
    [{ name: 7 }],
    [{ name: 'with \0 in it' }],
    [{ name: 'half \ud800' }],
    [{ age: 2 ** 53 }],
    [{ age: 1.5 }],
    [{ age: '7' }],
    [{ hectares: '7' }],
    [{ active: 'true' }],
    [{ born_on: '2023-02-29' }],
    [{ born_on: 'yesterday' }],
    [{ seen_at: '2024-02-22' }],
    [{ seen_at: '2024-02-22T25:00:00Z' }],
    [{ tier: '1' }],
    [{ crops: ['maize', 'coffee'] }],
    [{ crops: 'maize' }],
    [{ home: { latitude: 91, longitude: 0 } }],
    [{ home: [1, 2] }],
    [{ region_id: 'nowhere' }],
    [{ portrait: { base64: 'AAAA', filename: 'Upper.JPG' } }],
    [{ portrait: { base64: 'A\nAA', filename: 'a.jpg' } }],
    [{ color: 'red' }],
    [{ id: 'ABCDEF00-0000-4000-8000-000000000000' }],
  ])('rejects %j', async (fields) => {
    expect(await call('POST', 'objects/farmer.json', { farmer: fields })).toMatchObject({
      status: 422,
      body: { type: 'INVALID_VALUE', title: expect.any(String), detail: expect.any(String), see: expect.any(String) },
    });
  });

  it('names the invalid option', async () => {
    const { body } = await call('POST', 'objects/farmer.json', { farmer: { grade: 'x' } });
    expect(body.detail).toBe(`Invalid option "x" for field 'grade'.`);
  });

  it('preserves the largest integers, unusual text, and long numbers', async () => {
    const fields = { age: 1 - 2 ** 53, hectares: 0.1 + 0.2, name: 'Ünï 🌽 "\\ \n\t' };
    expect((await call('POST', 'objects/farmer.json', { farmer: fields })).body).toMatchObject(fields);
    expect((await call('POST', 'objects/farmer.json', { farmer: { age: 2 ** 53 - 1 } })).body.age).toBe(2 ** 53 - 1);
  });

  it('accepts form encoding', async () => {
    const form =
      'farmer[name]=Joseph&farmer[age]=7&farmer[active]=true&farmer[crops][]=tea&farmer[crops][]=beans&farmer[grade]=';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await call('POST', 'objects/farmer.json', form, headers)).toMatchObject({
      status: 201,
      body: { name: 'Joseph', age: 7, active: { key: true }, crops: [{ key: 'tea' }, { key: 'beans' }], grade: null },
    });
  });
});

describe('invalid request', () => {
  it.each([
    ['POST', 'objects/farmer.json', '{"farmer":', 400, 'INVALID_API_REQUEST'],
    ['POST', 'objects/farmer.json', '', 400, 'INVALID_API_REQUEST'],
    ['POST', 'objects/farmer.json', '{"name":"A"}', 400, 'INVALID_API_REQUEST'],
    ['POST', 'objects/farmer.json', '{"farmer":7}', 400, 'INVALID_API_REQUEST'],
    ['POST', 'objects/nothing.json', '{"nothing":{}}', 404, 'ROUTE_ERROR'],
    ['GET', 'objects/farmer', undefined, 404, 'ROUTE_ERROR'],
    ['GET', 'nowhere.json', undefined, 404, 'ROUTE_ERROR'],
    ['GET', 'objects/farmer/not-an-id.json', undefined, 404, 'OBJECT_NOT_FOUND'],
    ['PUT', 'objects/farmer/NOT-AN-ID.json', '{"farmer":{}}', 422, 'INVALID_VALUE'],
    ['GET', 'objects/farmer.json?limit=many', undefined, 400, 'INVALID_API_REQUEST'],
    ['GET', 'objects/farmer.json?query[color]=red', undefined, 400, 'INVALID_API_REQUEST'],
    ['GET', 'objects/farmer.json?query[age.like]=1', undefined, 400, 'INVALID_API_REQUEST'],
    ['GET', 'objects/farmer.json?query[active.gt]=true', undefined, 400, 'INVALID_API_REQUEST'],
    ['GET', 'objects/farmer.json?sort[name]=up', undefined, 400, 'INVALID_API_REQUEST'],
    ['POST', 'objects/farmer/query.json', '{"expression":"age >"}', 400, 'INVALID_API_REQUEST'],
    ['POST', 'objects/farmer/query.json', '{"expression":"age = ?","arguments":[]}', 400, 'INVALID_API_REQUEST'],
    ['POST', 'objects/farmer/query.json', '{"expression":"age = ?","arguments":[1,2]}', 400, 'INVALID_API_REQUEST'],
    ['POST', 'objects/farmer/query.json', '{"expression":"(age = 1"}', 400, 'INVALID_API_REQUEST'],
  ])('%s %s with %s gets status %i %s', async (method, path, body, status, type) => {
    const response = await call(method, path, body, body === undefined ? {} : { 'content-type': 'application/json' });
    expect(response).toMatchObject({ status, body: { type } });
  });

  it('rejects extreme nesting without failing', async () => {
    const response = await call('POST', 'objects/farmer/query.json', { expression: '('.repeat(100_000) });
    expect(response).toMatchObject({ status: 400, body: { type: 'INVALID_API_REQUEST' } });
  });
});

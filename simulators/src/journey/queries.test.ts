import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import type { JourneySimulator } from './simulator.ts';
import { smallDeployment } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

const region = '11111111-1111-4111-8111-111111111111';
const id = (number: number) => `22222222-2222-4222-8222-${String(number).padStart(12, '0')}`;

let simulator: JourneySimulator;
let call: Caller;

beforeAll(async () => {
  simulator = await startTestJourney({
    deployments: [
      {
        ...smallDeployment,
        objects: [
          { type: 'region', id: region, name: 'Chipata' },
          { type: 'farmer', id: id(3), name: 'Cee', age: 30, region_id: region, seen_at: '2024-02-22T14:00:53Z' },
          { type: 'farmer', id: id(1), name: 'Aye', age: 10, active: true },
          { type: 'farmer', id: id(2), name: 'Bee', age: 20 },
        ],
      },
    ],
  });
  call = createCaller(simulator.deployment(smallDeployment.id));
});
afterAll(() => simulator.stop({ dropDatabase: true }));

const names = (body: { objects: { name: string }[] }) => body.objects.map(({ name }) => name);
const list = async (query: string) => names((await call('GET', `objects/farmer.json?${query}`)).body);
const ask = async (expression: string, args: unknown[] = []) =>
  names((await call('POST', 'objects/farmer/query.json', { expression, arguments: args })).body);

describe('simulated list', () => {
  it('sorts by creation by default, and accepts either sort syntax', async () => {
    expect(await list('')).toEqual(['Cee', 'Aye', 'Bee']);
    expect(await list('sort[$natural]=-1')).toEqual(['Bee', 'Aye', 'Cee']);
    expect(await list('sort[name]=asc')).toEqual(['Aye', 'Bee', 'Cee']);
    expect(await list('sort[name]=-1')).toEqual(['Cee', 'Bee', 'Aye']);
    expect(await list('sort[id]=desc')).toEqual(['Cee', 'Bee', 'Aye']);
    expect(await list('sort[active]=1&sort[age]=desc')).toEqual(['Cee', 'Bee', 'Aye']);
  });

  it('treats empty values as missing', async () => {
    expect(await list('limit=&skip=&sort[name]=')).toEqual(['Cee', 'Aye', 'Bee']);
  });

  it('includes the total unless it is disabled', async () => {
    expect((await call('GET', 'objects/farmer.json?limit=2')).body).toMatchObject({ count: 2, total: 3, more: true });
    expect((await call('GET', 'objects/farmer.json?limit=3&total=false')).body).not.toHaveProperty('total');
    expect((await call('GET', 'objects/farmer.json?limit=0')).body).toMatchObject({ count: 0, total: 3, more: true });
  });

  it('filters by relation, null, time of writing, and hidden fields with or without an underscore', async () => {
    expect(await list(`query[region_id]=${region}`)).toEqual(['Cee']);
    expect(await list('q[region_id.null]=true')).toEqual(['Aye', 'Bee']);
    expect(await list('q[region_id.null]=false')).toEqual(['Cee']);
    expect(await list('q[_updated_at.gt]=2000-01-01T00:00:00Z')).toHaveLength(3);
    expect(await list('q[updated_at.lt]=2000-01-01T00:00:00Z')).toEqual([]);
    expect(await list(`q[id]=${id(2)}`)).toEqual(['Bee']);
    expect(await list('q[seen_at]=2024-02-22T16:00:53.999%2B02:00')).toEqual(['Cee']);
  });
});

describe('query expression', () => {
  it('binds "and" tighter than "or" and supports every operator', async () => {
    expect(await ask('name = ? or age >= ? and age < ?', ['Aye', 20, 30])).toEqual(['Aye', 'Bee']);
    expect(await ask('(name = ? or age >= ?) and age < ?', ['Aye', 20, 20])).toEqual(['Aye']);
    expect(await ask('name starts with ?', ['B'])).toEqual(['Bee']);
    expect(await ask('name contains ?', ['ee'])).toEqual(['Cee', 'Bee']);
    expect(await ask('age in ?', [[10, 30]])).toEqual(['Cee', 'Aye']);
    expect(await ask('age not in ?', [[10, 30]])).toEqual(['Bee']);
    expect(await ask('id in ?', [[]])).toEqual([]);
    expect(await ask('region = ?', [region])).toEqual(['Cee']);
    expect(await ask('region_id = ?', [null])).toEqual(['Aye', 'Bee']);
    expect(await ask('region_id != null')).toEqual(['Cee']);
    expect(await ask(`name = 'Bee' or age = 10`)).toEqual(['Aye', 'Bee']);
    expect(await ask('active = true')).toEqual(['Aye']);
    expect(await ask('active != true')).toEqual(['Cee', 'Bee']);
    expect(await ask('')).toHaveLength(3);
  });

  it('includes a total only when requested', async () => {
    const body = { expression: 'age > ?', arguments: [10], limit: 1 };
    expect((await call('POST', 'objects/farmer/query.json', body)).body).not.toHaveProperty('total');
    expect((await call('POST', 'objects/farmer/query.json', { ...body, total: true })).body).toMatchObject({
      total: 2,
      more: true,
    });
  });

  it.each([
    ['age = ?', ['ten']],
    ['id > ?', ['abc']],
    ['age in ?', [10]],
    ['age contains ?', [1]],
    ['name ~ ?', ['x']],
    ['name =', []],
    ['and', []],
  ])('rejects %s with %j', async (expression, args) => {
    const response = await call('POST', 'objects/farmer/query.json', { expression, arguments: args });
    expect(response).toMatchObject({ status: 400, body: { type: 'INVALID_API_REQUEST' } });
  });
});

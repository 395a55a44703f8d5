import type { Endpoint } from '@portal/contract/endpoint';
import { getMetrics } from '@portal/contract/operations';
import { getAction, needsSession } from '@portal/contract/rules';
import { getSession } from '@portal/contract/session';
import { getSyncObjects } from '@portal/contract/sync/objects';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { NamedSubjects } from '../testing/build-request.ts';
import type { TestServer } from '../testing/test-server.ts';
import {
  calls,
  findUnexpected,
  isReachable,
  nameOf,
  roles,
  send,
  startWalkWorld,
  type WalkWorld,
} from './rules-walk.fixture.ts';

let walk: WalkWorld;
let server: TestServer;
let named: NamedSubjects;

beforeAll(async () => {
  walk = await startWalkWorld();
  server = await walk.serve({ roles });
  named = walk.name(walk.world.helium.app('Clinic Visits'), 'Portal');
});
afterAll(async () => {
  await server.stop();
  await walk.stop();
});

const isStrangerExpected = (endpoint: Endpoint, status: number) => {
  if (needsSession(endpoint.may) || endpoint.path === getMetrics.path) return status === 401;
  return endpoint.may === 'secret-address' ? status === 404 : status === 200;
};

describe('every call, as declared', () => {
  it('is refused to callers with a session that has ended', async () => {
    const expired = server.client();
    Object.assign(expired.headers, { cookie: `portal=${'x'.repeat(43)}` });
    expect(await findUnexpected(expired, named, isStrangerExpected)).toEqual([]);
  });

  it.each([
    ['health.dev', 'health'],
    ['demo', 'demo'],
  ])('lets %s do what their role permits, and nothing else', async (userName, password) => {
    const client = await server.signIn(userName, password);
    const { refusals } = await client.call(getSession, undefined);
    const isExpected = (endpoint: Endpoint, status: number) => {
      const action = getAction(endpoint.may);
      if (!isReachable(endpoint)) return status === 400;
      if (action !== null && refusals[action] !== undefined) return status === 403;
      return ![401, 403, 500].includes(status);
    };
    expect(await findUnexpected(client, named, isExpected)).toEqual([]);
  });

  it('is recorded by its action exactly where that is declared', async () => {
    const fresh = await walk.serve({ roles });
    onTestFinished(() => fresh.stop());
    // There must be another session to end.
    await fresh.signIn('demo', 'demo');
    const client = await fresh.signIn('demo', 'demo');
    const readActions = async (where: string, value: unknown) => {
      const text = `select action from audit_entry where ${where}`;
      const { rows } = await fresh.dependencies.pool.query<{ action: string }>(text, [value]);
      return rows.map(({ action }) => action);
    };
    const wrong: string[] = [];
    for (const endpoint of calls.filter(isReachable)) {
      const { headers, status } = await send(client, endpoint, named);
      const declared = endpoint.recorded ? [endpoint.recorded.action].flat() : [];
      const ofCall = await readActions('request_id = $1', headers.get('x-request-id'));
      // An attempt on what is not the caller's is recorded by what they tried, also where only
      // reading is declared.
      const isUnlisted = status === 404 || endpoint.path === getSyncObjects.path;
      const expected = isUnlisted ? [...declared, endpoint.may] : declared;
      // An equal refusal of another call may be the same entry.
      const ofAction = status < 400 ? ofCall : await readActions('action = any ($1)', expected);
      // The first of equal views is recorded, and only if it shows something.
      const isOptional = endpoint.recorded === false || endpoint.recorded.isView;
      const isRight = ofCall.every((action) => expected.includes(action)) && (isOptional || ofAction.length > 0);
      if (!isRight) wrong.push(`${nameOf(endpoint)}: ${status}, ${ofCall.join(', ')}`);
    }
    expect(wrong).toEqual([]);
  });
});

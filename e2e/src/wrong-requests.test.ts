/** The two services are one product: both answer the same wrong request in the same way. */

import { problemSchema } from '@portal/contract/problem';
import { getIntegration, listIntegrations, setEnabled } from '@portal/contract/sync/integration';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BothServices, startBothServices } from './both-services.ts';

interface Service {
  /** The address of the sync endpoints. */
  readonly base: string;
  /** What identifies a caller whom the service knows. */
  readonly credentials: Readonly<Record<string, string>>;
}

let services: readonly Service[] = [];
let both: BothServices;

beforeAll(async () => {
  both = await startBothServices();
  const { server, sync, cookie } = both;
  services = [
    { base: `${server.url}/sync/api`, credentials: { cookie } },
    {
      base: `${sync.url}/api`,
      credentials: {
        authorization: `Bearer ${sync.token}`,
        'x-portal-user': 'demo',
        'x-portal-environment': 'Production',
      },
    },
  ];
});
afterAll(() => both.stop());

const list = listIntegrations.path;
const enable = setEnabled.path;
const get = getIntegration.path.replace(':appId', '');
const json = { 'content-type': 'application/json' };

test.each<[string, string, RequestInit, number, string]>([
  ['a body that is not JSON by its type', list, { method: 'POST', body: '{}' }, 415, 'invalid'],
  ['the wrong method', list, { method: 'DELETE' }, 405, 'not-found'],
  ['an unknown path', '/nowhere', {}, 404, 'not-found'],
  ['an address that is not a valid URL', `${get}%`, {}, 400, 'invalid'],
  ['an address with a part that is too long', `${get}${'x'.repeat(201)}`, {}, 414, 'invalid'],
  ['an address that PostgreSQL cannot store', `${get}a%00`, {}, 400, 'invalid'],
  ['a body that ends too early', list, { method: 'POST', headers: json, body: '{"environment":' }, 400, 'invalid'],
  ['no body where fields are required', enable, { method: 'POST', headers: json }, 400, 'invalid'],
  ['a body without the required fields', enable, { method: 'POST', headers: json, body: '{}' }, 400, 'invalid'],
  ['a body of 2 MB', list, { method: 'POST', headers: json, body: `"${'x'.repeat(2e6)}"` }, 413, 'invalid'],
  ['a NUL character', list, { method: 'POST', headers: json, body: '{"environment":"\\u0000"}' }, 400, 'invalid'],
  ['a field of the wrong type', list, { method: 'POST', headers: json, body: '{"environment":7}' }, 400, 'invalid'],
  ['a body that is nested too deeply', list, { method: 'POST', headers: json, body: '['.repeat(99) }, 400, 'invalid'],
])('both services answer %s with the same problem', async (_title, path, request, status, kind) => {
  const answers = await Promise.all(
    services.map(async ({ base, credentials }) => {
      const response = await fetch(`${base}${path}`, {
        ...request,
        headers: { ...request.headers, ...credentials },
      });
      const { requestId, ...problem } = problemSchema.parse(await response.json());
      expect(requestId).toBe(response.headers.get('x-request-id'));
      // The paths and the limits of the two services differ.
      const message = problem.message.replace('/sync/api/', '/api/').replace(/\d+ kB/, 'N kB');
      return { ...problem, message, status: response.status, type: response.headers.get('content-type') };
    }),
  );
  expect(answers[0]).toMatchObject({ status, kind });
  expect(answers[1]).toEqual(answers[0]);
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { problemSchema } from '@portal/contract/problem';
import { testConnection } from '@portal/contract/sync/config';
import { getIntegration, listIntegrations, setEnabled } from '@portal/contract/sync/integration';
import { retryHeld } from '@portal/contract/sync/records';
import { expect, it } from 'vitest';
import { configFor, grain, startServiceForFile } from '../service.fixture.ts';

const test = await startServiceForFile();

async function post(path: string, body: string) {
  const headers = { ...test.headers(), 'content-type': 'application/json' };
  const response = await fetch(`${test.service.address}/api${path}`, { method: 'POST', headers, body });
  const text = await response.text();
  return { status: response.status, text };
}

const parseProblem = (text: string) => problemSchema.parse(JSON.parse(text));
const numbers = (length: number) => Array.from({ length }, (_, at) => at);

it('rejects bodies that are nested too deeply or have too many elements, and does not call that a bug', async () => {
  const nested = await post(listIntegrations.path, '['.repeat(10_000));
  expect([nested.status, parseProblem(nested.text).message]).toEqual([
    400,
    'The request is nested more than 32 levels deep.',
  ]);
  const wide = await post(setEnabled.path, `{"b":"\\u0041","appIds":[${numbers(100_000)}]}`);
  expect([wide.status, parseProblem(wide.text).message]).toEqual([
    400,
    'The request has more than 20000 keys and values.',
  ]);
  const withNul = await post(listIntegrations.path, '{"environment":"\\u0000"}');
  expect(withNul.status).toBe(400);
});

it('rejects addresses and names with characters that PostgreSQL cannot store', async () => {
  expect((await test.call(getIntegration, undefined, { appId: 'a\0' })).status).toBe(400);
  expect((await test.call(listIntegrations, {}, { environment: 'a\0' })).status).toBe(400);
  expect((await test.call(listIntegrations, {}, { user: '\0' })).status).toBe(400);
});

it('quotes no address that is too long', async () => {
  const response = await fetch(`${test.service.address}/api/get/${'x'.repeat(10_000)}`, { headers: test.headers() });
  const text = await response.text();
  expect([response.status, parseProblem(text).message]).toEqual([414, 'A part of the address is too long.']);
});

it('accepts what the server adds to the largest body of a caller, and no more', async () => {
  const withinLimit = await post(listIntegrations.path, `{}${' '.repeat(31 * 1024)}`);
  expect(withinLimit.status).toBe(200);
  const tooLarge = await post(listIntegrations.path, `{}${' '.repeat(32 * 1024)}`);
  expect([tooLarge.status, parseProblem(tooLarge.text).message]).toEqual([
    413,
    'The request is too large. The limit is 32 kB.',
  ]);
});

it('reports 20 faults of a request at most, in a small response', async () => {
  const many = await post(retryHeld.path, JSON.stringify({ appId: grain.id, nos: numbers(1_000) }));
  expect(many.status).toBe(400);
  expect(Object.keys(parseProblem(many.text).fields ?? {})).toHaveLength(20);
  expect(parseProblem(many.text).message).toContain('; and 980 more');
  const tooLong = await post(setEnabled.path, JSON.stringify({ appIds: numbers(15_000), enabled: true }));
  expect(parseProblem(tooLong.text).fields).toEqual({ appIds: expect.stringContaining('10000') });
  const wrong = await post(setEnabled.path, JSON.stringify({ appIds: ['a', ...numbers(9_000)], enabled: true }));
  expect(parseProblem(wrong.text).fields).toEqual({ appIds: 'must be app ids' });
  const config = configFor();
  const names = numbers(500).map((at) => `${at}${'\u0001ü'.repeat(40)}`);
  const frame = { ...config, heliumToJourney: { ...config.heliumToJourney, changeLogSkipTables: names } };
  const { problems, failed } = await test.merge(frame, grain);
  expect(failed).toBe(true);
  expect(problems).toHaveLength(20);
  for (const text of [many.text, tooLong.text, JSON.stringify(problems)]) expect(text.length).toBeLessThan(16 * 1024);
});

it('refuses callers without a token before their body arrives', async () => {
  const { hostname, port } = new URL(test.service.address);
  const socket = connect(Number(port), hostname);
  socket.setEncoding('utf8');
  socket.write(
    `POST /api${testConnection.path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 200000\r\n\r\n`,
  );
  const [response] = await once(socket, 'data');
  socket.destroy();
  expect(response).toMatch(/^HTTP\/1.1 401 /);
});

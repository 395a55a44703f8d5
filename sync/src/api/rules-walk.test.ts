/** Every call of the sync service, whatever its body, by who sends it. */

import { syncEndpoints } from '@portal/contract/sync/endpoints';
import { listIntegrations, moveCursor, moveCursorConfirmation } from '@portal/contract/sync/integration';
import { beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { configFor, grain, startServiceForFile } from '../service.fixture.ts';
import { metricsToken } from '../service-config.fixture.ts';

const test = await startServiceForFile();

beforeAll(async () => {
  await test.merge(configFor());
});

/** What the calls name and change; each is sent the fields that it has. */
const values: Readonly<Record<string, unknown>> = {
  appId: grain.id,
  appIds: [grain.id],
  uuid: grain.id,
  app: grain,
  dataSource: 'apps-1',
  config: configFor(),
  enabled: false,
  no: '1',
  nos: ['1'],
  subjects: ['x'],
  secrets: ['a secret of a webhook'],
  journeyUserMode: 'user',
  take: 'helium',
  records: [{ table: 'x', id: '00000000-0000-4000-8000-000000000000' }],
  direction: 'helium-to-journey',
  version: '1',
  confirmation: 'REMOVE',
  subject: 'x',
  questionId: 'x',
  answer: 'helium',
  span: 'day',
};

/** Returns the values of the fields that a request has. */
function pickFields(request: z.core.$ZodType | null): Record<string, unknown> {
  if (request === null) return {};
  const { def } = (request as z.core.$ZodTypes)._zod;
  const names = def.type === 'object' ? Object.keys(def.shape) : [];
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

const toTexts = (fields: object) =>
  Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);

/** Sends every call and returns those with another response. */
async function findUnexpected(
  headers: Record<string, string | undefined>,
  isExpected: (status: number, message: string) => boolean,
): Promise<string[]> {
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const unexpected: string[] = [];
  for (const { method, path, request } of syncEndpoints) {
    const isGet = method === 'GET';
    const fields = pickFields(request);
    const body = { ...fields, app: grain, dataSource: 'apps-1' };
    const query = new URLSearchParams(isGet ? toTexts(fields) : []);
    const response = await fetch(`${test.service.address}/api${path.replace(':appId', grain.id)}?${query}`, {
      method,
      headers: [...sent, ...(isGet ? [] : [['content-type', 'application/json'] as [string, string]])],
      ...(!isGet && {
        body: JSON.stringify(path === moveCursor.path ? { ...body, confirmation: moveCursorConfirmation } : body),
      }),
    });
    const text = await response.text();
    if (!isExpected(response.status, text))
      unexpected.push(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
  }
  return unexpected;
}

describe('every call', () => {
  it.each([
    ['no token', undefined],
    ['a wrong token', 'Bearer wrong'],
    ['the token of the metrics', `Bearer ${metricsToken}`],
    ['a token of another scheme', `Basic ${btoa('thandi:token')}`],
  ])('is refused to callers with %s', async (_title, authorization) => {
    const isExpected = (status: number) => status === 401;
    expect(await findUnexpected({ ...test.headers(), authorization }, isExpected)).toEqual([]);
  });

  it.each(['x-portal-user', 'x-portal-environment'])('is refused without the header %s', async (name) => {
    const isExpected = (status: number, text: string) => status === 400 && text.includes(`The header ${name}`);
    for (const value of [undefined, '', '%'])
      expect(await findUnexpected({ ...test.headers(), [name]: value }, isExpected)).toEqual([]);
  });

  it('neither reads nor changes an integration of another environment', async () => {
    const found = await findUnexpected(test.headers({ environment: 'Staging' }), (status) => status === 404);
    // These are about no stored integration, or about those of Staging: there are none.
    expect(found.map((line) => line.replace(/ \{.*/, ''))).toEqual([
      'POST /list: 200 []',
      'POST /get-template: 200',
      'POST /get-template-enrollment: 200',
      'POST /test-connection: 200',
      'GET /activity: 200',
    ]);
    const { body: after } = await test.call(listIntegrations, {});
    expect(after.map(({ id, changedBy }) => [id, changedBy])).toEqual([[grain.id, 'thandi']]);
  });
});

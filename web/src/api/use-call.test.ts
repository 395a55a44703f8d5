import { endpoint } from '@portal/contract/endpoint';
import { light } from '@portal/contract/rules';
import { MutationObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createQueryClient } from './query-client.ts';
import { callKey, callOptions, invalidateAfter, matchEndpoints } from './use-call.ts';

const commonFields = {
  summary: '',
  may: 'session',
  about: {},
  recorded: false,
  cost: light(),
} as const;
const getThing = endpoint({
  ...commonFields,
  method: 'GET',
  path: '/thing',
  request: z.object({ id: z.string() }),
  response: 'text',
});
const getOther = endpoint({ ...commonFields, method: 'GET', path: '/other', request: null, response: 'text' });
const saveThing = endpoint({ ...commonFields, method: 'POST', path: '/thing', request: null, response: 'text' });

async function clientWithBoth() {
  const client = createQueryClient();
  const send = async () => 'a response';
  await client.fetchQuery(callOptions(getThing, { id: 'a' }, { send, invalidatedBy: [saveThing] }));
  await client.fetchQuery(callOptions(getOther, undefined, { send }));
  const isStale = () => [
    client.getQueryState(callKey(getThing, { id: 'a' }))?.isInvalidated,
    client.getQueryState(callKey(getOther, undefined))?.isInvalidated,
  ];
  return { client, send, isStale };
}

it('caches responses separately per payload, parameters and version', () => {
  const keys = [
    callKey(getThing, { id: 'a' }),
    callKey(getThing, { id: 'b' }),
    callKey(getThing, { id: 'a' }, { name: 'x' }),
    callKey(getThing, { id: 'a' }, undefined, 2),
    callKey(getOther, undefined),
  ];
  expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(keys.length);
});

it('invalidates a query by a named change even when another user of the same data names none', async () => {
  const { client, send, isStale } = await clientWithBoth();
  await client.fetchQuery(callOptions(getThing, { id: 'a' }, { send, staleTime: Number.POSITIVE_INFINITY }));
  await invalidateAfter(client, [saveThing]);
  expect(isStale()).toEqual([true, false]);
});

it('invalidates after a mutation that names its changes, even when it failed', async () => {
  const { client, isStale } = await clientWithBoth();
  const save = new MutationObserver(client, {
    mutationFn: () => Promise.reject(new Error('refused')),
    meta: { changes: [saveThing] },
  });
  await expect(save.mutate()).rejects.toThrow('refused');
  expect(isStale()).toEqual([true, false]);
});

it('finds all queries of an endpoint regardless of payload and parameters', async () => {
  const { client, send } = await clientWithBoth();
  await client.fetchQuery(callOptions(getThing, { id: 'b' }, { send, version: 'form' }));
  expect(client.getQueryCache().findAll(matchEndpoints([getThing]))).toHaveLength(2);
});

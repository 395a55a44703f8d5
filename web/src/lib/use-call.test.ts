import { endpoint } from '@portal/contract/endpoint';
import { MutationObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createQueryClient } from './query-client.ts';
import { answersOf, callKey, callOptions, invalidateAfter } from './use-call.ts';

const about = { summary: '', access: 'session' } as const;
const getThing = endpoint({
  ...about,
  method: 'GET',
  path: '/thing',
  request: z.object({ id: z.string() }),
  response: 'text',
});
const getOther = endpoint({ ...about, method: 'GET', path: '/other', request: null, response: 'text' });
const saveThing = endpoint({ ...about, method: 'POST', path: '/thing', request: null, response: 'text' });

async function clientWithBoth() {
  const client = createQueryClient();
  const send = async () => 'an answer';
  await client.fetchQuery(callOptions(getThing, { id: 'a' }, { send, invalidatedBy: [saveThing] }));
  await client.fetchQuery(callOptions(getOther, undefined, { send }));
  const isStale = () => [
    client.getQueryState(callKey(getThing, { id: 'a' }))?.isInvalidated,
    client.getQueryState(callKey(getOther, undefined))?.isInvalidated,
  ];
  return { client, send, isStale };
}

it('gives each payload, each parameter and each version an answer of its own', () => {
  const keys = [
    callKey(getThing, { id: 'a' }),
    callKey(getThing, { id: 'b' }),
    callKey(getThing, { id: 'a' }, { name: 'x' }),
    callKey(getThing, { id: 'a' }, undefined, 2),
    callKey(getOther, undefined),
  ];
  expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(keys.length);
});

it('invalidates what named the change, also where another user of the answer names none', async () => {
  const { client, send, isStale } = await clientWithBoth();
  await client.fetchQuery(callOptions(getThing, { id: 'a' }, { send, staleTime: Number.POSITIVE_INFINITY }));
  await invalidateAfter(client, [saveThing]);
  expect(isStale()).toEqual([true, false]);
});

it('invalidates after a mutation that names its changes, also where it failed', async () => {
  const { client, isStale } = await clientWithBoth();
  const save = new MutationObserver(client, {
    mutationFn: () => Promise.reject(new Error('refused')),
    meta: { changes: [saveThing] },
  });
  await expect(save.mutate()).rejects.toThrow('refused');
  expect(isStale()).toEqual([true, false]);
});

it('finds all answers of an endpoint, whatever they were asked with', async () => {
  const { client, send } = await clientWithBoth();
  await client.fetchQuery(callOptions(getThing, { id: 'b' }, { send, version: 'form' }));
  expect(client.getQueryCache().findAll(answersOf([getThing]))).toHaveLength(2);
});

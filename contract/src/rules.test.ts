import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { receiveWebhook } from './operations.ts';
import { light, needsSession, usualBodyBytes } from './rules.ts';

const rules = { may: 'sync.change', about: { app: 'appId' }, recorded: false, cost: light() } as const;
const call = {
  method: 'POST',
  path: '/thing',
  summary: '',
  request: z.object({ appId: z.string(), more: z.object({ team: z.string() }) }),
  response: 'text',
} as const;

describe('the declaration of an endpoint', () => {
  it('does not compile without each of its rules', () => {
    const { may, about, recorded, cost } = rules;
    // @ts-expect-error: who may call is missing.
    endpoint({ ...call, about, recorded, cost });
    // @ts-expect-error: what the call is about is missing.
    endpoint({ ...call, may, recorded, cost });
    // @ts-expect-error: what is recorded is missing.
    endpoint({ ...call, may, about, cost });
    // @ts-expect-error: the cost is missing.
    endpoint({ ...call, may, about, recorded });
    expect(endpoint({ ...call, ...rules })).toEqual({ ...call, ...rules });
  });

  it('does not compile if it is about a field that is neither in the request nor in the path', () => {
    // @ts-expect-error: there is no such field.
    endpoint({ ...call, ...rules, about: { app: 'id' } });
    // @ts-expect-error: there is no such subject.
    endpoint({ ...call, ...rules, about: { thing: 'appId' } });
    // @ts-expect-error: there is no such action.
    endpoint({ ...call, ...rules, may: 'sync.anything' });
    endpoint({ ...call, ...rules, about: { team: 'more.team' } });
    endpoint({ ...call, ...rules, path: '/thing/:id', about: { app: 'id' } });
  });
});

describe('the declared rules', () => {
  it('record every call for which a right to change, grant or reveal is needed, except plans', () => {
    const unrecorded = endpoints.filter(({ may, recorded }) => !recorded && /\.(?!view)/.test(may));
    expect(unrecorded.map(({ path }) => path)).toEqual([
      '/portal-backend/api/schema-access/plan',
      '/portal-backend/api/schema-access/plan-revert',
      '/portal-backend/api/support-roster/import',
    ]);
  });

  it('let no GET change anything, only reveal or show', () => {
    const recorded = endpoints.filter(
      ({ method, recorded }) => method === 'GET' && recorded && !('isReveal' in recorded || 'isView' in recorded),
    );
    expect(recorded).toEqual([]);
    const changing = endpoints.filter(
      ({ method, may }) => method === 'GET' && /\.(change|toggle|grant|reset|end)$/.test(may),
    );
    // Reads the state of an import.
    expect(changing.map(({ path }) => path)).toEqual(['/portal-backend/api/support-roster/import']);
  });

  it('let only calls of signed-in users, and Journey, send large bodies', () => {
    const large = endpoints.filter(({ cost }) => cost.maxBodyBytes > usualBodyBytes);
    expect(large.length).toBeGreaterThan(5);
    expect(large.filter(({ may }) => !needsSession(may))).toEqual([receiveWebhook]);
  });
});

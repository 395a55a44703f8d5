import { lockApp } from '@portal/contract/app-config';
import { getOnCall } from '@portal/contract/support-roster';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { call, toProblem, toQueryString } from './call.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A network that answers nothing until the call is ended. */
const hang = (_: unknown, { signal }: RequestInit) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

describe('call without a response', () => {
  it('ends a change after 30 s, and reports that its outcome is unknown', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', hang);
    const change = expect(call(lockApp, { appId: 'a', locked: true })).rejects.toMatchObject({
      kind: 'no-response',
      message: 'The portal did not respond within 30 s. Outcome unknown: check what is stored before you try again.',
    });
    await vi.advanceTimersByTimeAsync(30_000);
    await change;
  });

  it('does not mention changes for a call that makes none', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(call(getOnCall, {})).rejects.toMatchObject({
      message: 'The portal did not respond. Check your connection.',
    });
    await expect(call(lockApp, { appId: 'a', locked: true })).rejects.toMatchObject({
      message: expect.stringMatching(/Outcome unknown/),
    });
  });

  it('fails with the reason of its caller', async () => {
    vi.stubGlobal('fetch', hang);
    const controller = new AbortController();
    const change = expect(call(lockApp, { appId: 'a', locked: true }, { signal: controller.signal })).rejects.toThrow(
      'no longer needed',
    );
    controller.abort(new Error('no longer needed'));
    await change;
  });
});

const responseHead = (status: number, statusText = '', headers: Record<string, string> = {}) => ({
  status,
  statusText,
  headers: new Headers(headers),
});

describe('toProblem', () => {
  it("uses the title, message and kind from the portal's problem body", () => {
    const body = { title: 'Error', message: 'Another user changed it.', requestId: 'r-1', kind: 'conflict' };
    const problem = toProblem(responseHead(409, 'Conflict'), JSON.stringify(body));
    expect(problem).toMatchObject({ ...body, status: 409, statusText: 'Conflict' });
  });

  it('describes a proxy error by its status and keeps the body', () => {
    const problem = toProblem(responseHead(502, 'Bad Gateway', { 'x-request-id': 'r-2' }), '<html>oops</html>');
    expect(problem.message).toBe('Bad Gateway (502)');
    expect(problem).toMatchObject({ kind: 'http', requestId: 'r-2', body: '<html>oops</html>' });
  });

  it('reads when to repeat the call', () => {
    const body = JSON.stringify({ message: 'The portal is busy.', requestId: 'r-3', kind: 'busy' });
    const busy = toProblem(responseHead(429, '', { 'retry-after': '5' }), body);
    expect(busy).toMatchObject({ kind: 'busy', retryAfterMs: 5_000 });
    expect(toProblem(responseHead(429, '', { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' }), '')).toMatchObject({
      retryAfterMs: undefined,
    });
  });

  it('fills in the status texts that HTTP/2 does not send', () => {
    expect(toProblem(responseHead(401), '').statusText).toBe('Unauthorized');
    expect(toProblem(responseHead(599), '').message).toBe('Error (599)');
  });
});

describe('toQueryString', () => {
  it('omits undefined values from the query string', () => {
    expect(toQueryString({ search: 'a b', after: undefined })).toBe('?search=a+b');
    expect(toQueryString({ after: undefined })).toBe('');
    expect(toQueryString(undefined)).toBe('');
  });
});

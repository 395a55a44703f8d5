import { expect, test } from 'vitest';
import { CallProblem } from './call-problem.ts';
import { withTitle } from './with-title.ts';

test('replaces only the title of a call problem', () => {
  const problem = new CallProblem({
    status: 502,
    statusText: 'Bad Gateway',
    message: 'The platform did not answer.',
    kind: 'unreachable',
    requestId: 'r-1',
    fields: { appId: 'unknown' },
    title: 'Error',
  });
  expect(withTitle('Unable to get app config!', problem)).toMatchObject({
    title: 'Unable to get app config!',
    message: 'The platform did not answer.',
    status: 502,
    statusText: 'Bad Gateway',
    kind: 'unreachable',
    requestId: 'r-1',
    fields: { appId: 'unknown' },
  });
});

test('returns other errors unchanged', () => {
  const bug = new TypeError('x is not a function');
  expect(withTitle('Error', bug)).toBe(bug);
});

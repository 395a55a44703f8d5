import { expect, test } from 'vitest';
import { CallProblem } from './call-problem.ts';
import { titled } from './titled.ts';

test('keeps everything of the problem but its title', () => {
  const problem = new CallProblem({
    status: 502,
    statusText: 'Bad Gateway',
    message: 'The platform did not answer.',
    kind: 'unreachable',
    requestId: 'r-1',
    fields: { appId: 'unknown' },
    title: 'Error',
  });
  expect(titled('Unable to get app config!', problem)).toMatchObject({
    title: 'Unable to get app config!',
    message: 'The platform did not answer.',
    status: 502,
    statusText: 'Bad Gateway',
    kind: 'unreachable',
    requestId: 'r-1',
    fields: { appId: 'unknown' },
  });
});

test('what is no problem of a call stays itself', () => {
  const bug = new TypeError('x is not a function');
  expect(titled('Error', bug)).toBe(bug);
});

import { beforeEach, expect, it } from 'vitest';
import { CallProblem } from '../lib/call-problem.ts';
import { dismissAllPopups, popupState, showProblem, showSuccess } from './popups.ts';

beforeEach(dismissAllPopups);

const away = () => new CallProblem({ status: 502, statusText: 'Bad Gateway', message: 'Away.', kind: 'unreachable' });

it('counts a problem that is said again instead of piling it up', () => {
  for (let times = 0; times < 5; times++) showProblem('Unable to get app config!', away());
  expect(popupState.get()).toMatchObject([{ title: 'Unable to get app config!', times: 5 }]);
});

it('keeps different problems apart, and problems until they are dismissed', () => {
  showProblem('Error', away());
  showProblem('Error', new Error('Something else.'));
  expect(popupState.get().map((popup) => [popup.text, popup.durationMs])).toEqual([
    ['Away.', null],
    ['Something else.', null],
  ]);
});

it('lets a success go by itself, after three seconds, or five where there is more to read', () => {
  showSuccess('Success', 'Done');
  showSuccess(
    'Success',
    'Set the process timeout of Nightly:closeOldVisits to 15 minutes for Community Health Visits.',
  );
  expect(popupState.get().map((popup) => popup.durationMs)).toEqual([3000, 5000]);
});

it('offers what one needs for a ticket', () => {
  const problem = new CallProblem({
    status: 500,
    statusText: 'Oops',
    message: 'A bug.',
    kind: 'bug',
    requestId: 'r-7',
  });
  showProblem('Error', problem);
  expect(popupState.get()[0]?.copyText).toMatch(/^Error\nA bug\.\nStatus 500 Oops\nRequest r-7\n/);
});

it('says nothing about what was cancelled', () => {
  showProblem('Error', new DOMException('cancelled', 'AbortError'));
  expect(popupState.get()).toEqual([]);
});

import { beforeEach, expect, it } from 'vitest';
import { CallProblem } from '../api/call-problem.ts';
import { dismissAllPopups, popupState, showProblem, showSuccess } from './popups.ts';

beforeEach(dismissAllPopups);

const navigateAway = () =>
  new CallProblem({ status: 502, statusText: 'Bad Gateway', message: 'Away.', kind: 'unreachable' });

it('counts a repeated problem instead of adding another popup', () => {
  for (let times = 0; times < 5; times++) showProblem('Unable to get app config!', navigateAway());
  expect(popupState.get()).toMatchObject([{ title: 'Unable to get app config!', count: 5 }]);
});

it('shows different problems separately until they are dismissed', () => {
  showProblem('Error', navigateAway());
  showProblem('Error', new Error('Something else.'));
  expect(popupState.get().map((popup) => [popup.text, popup.durationMs])).toEqual([
    ['Away.', null],
    ['Something else.', null],
  ]);
});

it('hides a success after three seconds, or five for a long text', () => {
  showSuccess('Success', 'Done');
  showSuccess(
    'Success',
    'Set the process timeout of Nightly:closeOldVisits to 15 minutes for Community Health Visits.',
  );
  expect(popupState.get().map((popup) => popup.durationMs)).toEqual([3000, 5000]);
});

it('includes the details for a ticket', () => {
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

it('draws the hidden characters of a name, and keeps the line breaks', () => {
  showSuccess('Success', 'Stock \u202Eevil\u202C:\nsaved');
  expect(popupState.get()[0]?.text).toBe('Stock U+202EevilU+202C:\nsaved');
});

it('shows no popup for canceled calls', () => {
  showProblem('Error', new DOMException('canceled', 'AbortError'));
  expect(popupState.get()).toEqual([]);
});

import { expect, test } from 'vitest';
import { chooseIdleMs } from './poll-pace.ts';

const quiet = { isAwaited: false, isActive: false, announced: null, isExpecting: false, reserveIdlePoll: () => 7_000 };
const announced = { activePollMs: 5_000, idlePollMs: 30_000 };

test.each([
  ['without webhooks, as often as Journey allows after a change', { isActive: true }, 0],
  ['without webhooks, in turns while nothing changes', {}, 7_000],
  ['with webhooks, less often after a change', { announced, isActive: true }, 5_000],
  ['with webhooks, about every half minute while nothing changes', { announced }, 30_000],
  ['with webhooks, in turns when there are many', { announced, reserveIdlePoll: () => 100_000 }, 100_000],
  ['with webhooks, as often as Journey allows while an entry is expected', { announced, isExpecting: true }, 0],
  ['as often as Journey allows while another loop waits', { announced, isAwaited: true }, 0],
])('polls %s', (_, facts, expected) => {
  expect(chooseIdleMs({ ...quiet, ...facts })).toBe(expected);
});

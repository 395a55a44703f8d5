import { setImmediate as afterThisTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runWithRestarts } from './restarting-run.fixture.ts';

test('starts no run again when it is stopped between two of them', async () => {
  let starts = 0;
  const restarting = runWithRestarts(() => {
    starts += 1;
    const ended = starts === 1 ? Promise.reject(new Error('broken off')) : new Promise<never>(() => undefined);
    ended.catch(() => undefined);
    return {
      ended,
      wake: () => undefined,
      receiveWebhook: () => undefined,
      tryNow: () => undefined,
      stop: async () => undefined,
    };
  });
  await afterThisTurn();
  expect(restarting.interruptions).toEqual(['broken off']);
  await restarting.stop();
  expect(starts).toBe(1);
});

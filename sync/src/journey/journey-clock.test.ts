import type { SendRequest } from '@portal/platforms/journey/call';
import { expect, test } from 'vitest';
import { createJourneyClock } from './journey-clock.ts';

const url = 'http://journey.example';

/** A response as far as the clock reads it. */
function respondWith(headers: Record<string, string>): SendRequest {
  const response: Partial<Awaited<ReturnType<SendRequest>>> = { headers };
  return async () => response as Awaited<ReturnType<SendRequest>>;
}

test("follows the date of Journey's last response to the end of its second, however wrong it is", async () => {
  let steadyMs = 5_000;
  const clock = createJourneyClock(() => steadyMs);
  await clock.watch(respondWith({ date: 'Fri, 01 Mar 2024 09:30:00 GMT' }))(url);
  expect(new Date(clock.nowMs()).toISOString()).toBe('2024-03-01T09:30:00.999Z');
  steadyMs += 1_500;
  expect(new Date(clock.nowMs()).toISOString()).toBe('2024-03-01T09:30:02.499Z');
  await clock.watch(respondWith({ date: 'Fri, 01 Mar 2024 08:30:00 GMT' }))(url);
  expect(new Date(clock.nowMs()).toISOString()).toBe('2024-03-01T08:30:00.999Z');
});

test.each([{}, { date: 'yesterday' }])("uses this host's time until a response has a date: %o", async (headers) => {
  const clock = createJourneyClock();
  await clock.watch(respondWith(headers))(url);
  expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(60_000);
});

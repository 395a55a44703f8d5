import { expect, it } from 'vitest';
import { defaultTiming } from './timing.ts';

it('notices within 35 s that Journey does not answer, also an idle integration with webhooks', () => {
  const { announced, pollMs, slowCallMs, callTimeoutMs } = defaultTiming;
  expect(Math.max(announced.idlePollMs, pollMs) + slowCallMs).toBeLessThanOrEqual(35_000);
  expect(callTimeoutMs).toBeLessThanOrEqual(35_000);
});

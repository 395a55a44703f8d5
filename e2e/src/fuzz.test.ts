// @module-tag long

import { expect, onTestFinished, test } from 'vitest';
import { startBothServices } from './both-services.ts';
import { fuzz } from './fuzz.ts';

/** `npm run fuzz` sends more, with a new seed each time. */
const seed = 20_261_123;

test('both services answer a hundred random requests without a bug', { tags: 'short' }, () => send(100));

test('both services answer random requests without a bug and without a large error response', () => send(400));

async function send(requests: number): Promise<void> {
  const { helium, server, sync, cookie, stop } = await startBothServices();
  onTestFinished(stop);
  const known = ['Production', helium.baseUrl, helium.app('Clinic Visits').id, helium.app('Stock Room').id];
  const target = { serverUrl: server.url, cookie, syncUrl: sync.url, syncToken: sync.token, known };

  const { statuses } = await fuzz(target, { seed, requests });

  for (const status of [200, 400, 401, 404, 413]) expect(statuses.get(status), String(status)).toBeGreaterThan(0);
}

import { randomUUID } from 'node:crypto';
import { Secret } from '@portal/kit/secret';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createJourneyClient, type JourneyClient } from './client.ts';
import type { JourneyFailure } from './journey-problem.ts';
import { smallDeployment } from './simulator/small-deployment.ts';
import type { DeploymentHandle, Fault, JourneySimulator } from './simulator.ts';
import { startTestJourney } from './test-simulator.ts';

let journey: JourneySimulator;
let client: JourneyClient;
beforeAll(async () => {
  journey = await startTestJourney();
  client = clientWith();
});
afterAll(() => journey.stop({ dropDatabase: true }));
afterEach(() => journey.faults.clear());

const small = (): DeploymentHandle => journey.deployment(smallDeployment.id);
function clientWith(options: { readonly timeoutMs?: number } = {}): JourneyClient {
  const { url: baseUrl, userName, password } = small();
  return createJourneyClient({ baseUrl, userName, password: new Secret(password), ...options });
}

describe('in trouble', () => {
  it.each<[Fault, JourneyFailure['kind'], mayBeApplied: boolean]>([
    [{ mode: 'refuse' }, 'no-answer', true],
    [{ mode: 'drop' }, 'no-answer', true],
    [{ mode: 'half-body' }, 'no-answer', true],
    [{ mode: 'hang' }, 'no-answer', true],
    [{ mode: 'html' }, 'unexpected-answer', true],
    [{ mode: 'html', status: 503 }, 'server-trouble', true],
    [{ mode: 'error500' }, 'server-trouble', true],
    [{ mode: 'unauthorized' }, 'credentials-refused', false],
    [{ mode: 'too-many-requests' }, 'rate-limited', false],
  ])('%j is %s', async (fault, expected, mayBeApplied) => {
    journey.faults.set(fault);
    const impatient = clientWith({ timeoutMs: fault.mode === 'hang' ? 50 : 20_000 });
    await expect(impatient.put('region', randomUUID(), {})).rejects.toMatchObject({
      failure: { kind: expected },
      mayBeApplied,
    });
  });

  it('a lost answer does not mean that nothing happened, and a refused call does nothing', async () => {
    const id = randomUUID();
    await client.put('farmer', id, { name: 'before' });
    journey.faults.set({ mode: 'drop', times: 1 });
    await expect(client.patch('farmer', id, { name: 'dropped' })).rejects.toMatchObject({ mayBeApplied: true });
    expect(await client.get('farmer', id)).toMatchObject({ name: 'dropped' });
    journey.faults.set({ mode: 'too-many-requests', times: 1 });
    await expect(client.patch('farmer', id, { name: 'refused' })).rejects.toMatchObject({ mayBeApplied: false });
    expect(await client.get('farmer', id)).toMatchObject({ name: 'dropped' });
  });

  it('too many calls are told to wait, a second at least', async () => {
    small().setRateLimit({ perSecond: 0.001, burst: 1 });
    try {
      await client.info();
      const atLeastASecond = expect.toSatisfy((ms: unknown) => typeof ms === 'number' && ms >= 1_000);
      await expect(client.info()).rejects.toMatchObject({
        failure: { kind: 'rate-limited', retryAfterMs: atLeastASecond },
      });
    } finally {
      small().setRateLimit('off');
    }
  });
});

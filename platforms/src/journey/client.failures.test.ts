import { randomUUID } from 'node:crypto';
import { Secret } from '@portal/kit/secret';
import type { DeploymentHandle, Fault, JourneySimulator } from '@portal/simulators/journey/simulator';
import { smallDeployment } from '@portal/simulators/journey/small-deployment';
import { startTestJourney } from '@portal/simulators/journey/test-simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createJourneyClient, type JourneyClient } from './client.ts';
import type { JourneyFailure } from './journey-problem.ts';

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

describe('Journey client failures', () => {
  it.each<[Fault, JourneyFailure['kind'], mayBeApplied: boolean]>([
    [{ mode: 'refuse' }, 'no-response', true],
    [{ mode: 'drop' }, 'no-response', true],
    [{ mode: 'half-body' }, 'no-response', true],
    [{ mode: 'hang' }, 'no-response', true],
    [{ mode: 'html' }, 'unexpected-response', true],
    [{ mode: 'html', status: 503 }, 'server-error', true],
    [{ mode: 'error500' }, 'server-error', true],
    [{ mode: 'unauthorized' }, 'credentials-rejected', false],
    [{ mode: 'too-many-requests' }, 'rate-limited', false],
  ])('reports %j as %s', async (fault, expected, mayBeApplied) => {
    journey.faults.set(fault);
    const impatient = clientWith({ timeoutMs: fault.mode === 'hang' ? 50 : 20_000 });
    await expect(impatient.put('region', randomUUID(), {})).rejects.toMatchObject({
      failure: { kind: expected },
      mayBeApplied,
    });
  });

  it('reports a lost response as possibly applied, and a refused call as not applied', async () => {
    const id = randomUUID();
    await client.put('farmer', id, { name: 'before' });
    journey.faults.set({ mode: 'drop', times: 1 });
    await expect(client.patch('farmer', id, { name: 'dropped' })).rejects.toMatchObject({ mayBeApplied: true });
    expect(await client.get('farmer', id)).toMatchObject({ name: 'dropped' });
    journey.faults.set({ mode: 'too-many-requests', times: 1 });
    await expect(client.patch('farmer', id, { name: 'refused' })).rejects.toMatchObject({ mayBeApplied: false });
    expect(await client.get('farmer', id)).toMatchObject({ name: 'dropped' });
  });

  it('waits at least a second after too many calls', async () => {
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

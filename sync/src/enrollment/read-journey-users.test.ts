import { Secret } from '@portal/kit/secret';
import { createJourneyClient, type JourneyClient } from '@portal/platforms/journey/client';
import type { JourneySimulator } from '@portal/simulators/journey/simulator';
import { smallDeployment } from '@portal/simulators/journey/small-deployment';
import { startTestJourney } from '@portal/simulators/journey/test-simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readJourneyUsers } from './read-journey-users.ts';

/** In Journey's order. */
const toId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

describe('readJourneyUsers', () => {
  let journey: JourneySimulator;
  let client: JourneyClient;
  const { signal } = new AbortController();
  const add = (number: number) =>
    journey.deployments[0]?.device.edit({
      method: 'put',
      object: { type: 'user', id: toId(number), name: 'thabo' },
    });
  beforeAll(async () => {
    journey = await startTestJourney();
    const { url = '', userName = '', password = '' } = journey.deployments[0] ?? {};
    client = createJourneyClient({ baseUrl: url, userName, password: new Secret(password) });
  });
  afterAll(() => journey.stop({ dropDatabase: true }));

  it('reads every user exactly once, whatever the page size', async () => {
    expect(smallDeployment.objects).toBeUndefined();
    expect(await readJourneyUsers(client, signal)).toEqual([]);
    for (let number = 11; number <= 17; number += 1) await add(number);
    const all = [11, 12, 13, 14, 15, 16, 17].map(toId);
    for (const size of [2, 3, 4, 6, 7, 8, 1000]) {
      expect((await readJourneyUsers(client, signal, { pageSize: size })).map(({ id }) => id)).toEqual(all);
    }
  });

  it('starts again when the list changes during reading, and fails when it keeps changing', async () => {
    let next = 10;
    let moves = 1;
    const moving: Pick<JourneyClient, 'users'> = {
      async users(page) {
        const response = await client.users(page);
        if (moves > 0) await add(next);
        if (moves > 0) next -= 1;
        moves -= 1;
        return response;
      },
    };
    expect(await readJourneyUsers(moving, signal, { pageSize: 3 })).toHaveLength(8);
    moves = 100;
    await expect(readJourneyUsers(moving, signal, { pageSize: 3 })).rejects.toThrow(
      "Journey's list of users is not whole",
    );
  });
});

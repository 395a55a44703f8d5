import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCaller } from './deployment-caller.fixture.ts';
import { startDeviceActivity } from './device-activity.ts';
import type { JourneySimulator } from './simulator.ts';
import { smallDeployment, smallSchema } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

const regions = [1, 2, 3].map((number) => ({
  type: 'region',
  id: `44444444-4444-4444-8444-00000000000${number}`,
  name: `Region ${number}`,
}));
const twin = (id: string, seed: number) => ({
  ...smallDeployment,
  id,
  objects: regions,
  activity: { editsPerMinute: 6000, seed },
});
const [one, same, other] = [
  twin(`${'a'.repeat(23)}1`, 7),
  twin(`${'a'.repeat(23)}2`, 7),
  twin(`${'a'.repeat(23)}3`, 8),
];

describe('simulated devices', () => {
  let simulator: JourneySimulator;
  beforeAll(async () => {
    simulator = await startTestJourney({ deployments: [one, same, other] });
  });
  afterAll(() => simulator.stop({ dropDatabase: true }));

  it('make the same edits for the same seed and different ones for another', async () => {
    const play = (id: string) => simulator.deployment(id).device.play(60);
    const edits = await play(one.id);
    expect(new Set(edits.map(({ method }) => method))).toEqual(new Set(['put', 'patch', 'delete']));
    expect(await play(same.id)).toEqual(edits);
    expect(await play(other.id)).not.toEqual(edits);
  });

  it('make only successful edits, which the op-log attributes to the device', async () => {
    const handle = simulator.deployment(other.id);
    const edits = await handle.device.play(100);
    expect(edits).toHaveLength(100);
    expect((await handle.writes()).api).toBe(0);
    expect((await handle.writes()).device).toBeGreaterThan(100);
  });
});

it('edit on their own when the simulator is live', async () => {
  const simulator = await startTestJourney({ deployments: [one], live: true });
  await vi.waitUntil(async () => (await simulator.deployment(one.id).writes()).device > regions.length + 2, 60_000);
  await simulator.stop({ dropDatabase: true });
});

it('edit only while their edits are on', async () => {
  vi.useFakeTimers();
  try {
    let [isOn, played] = [false, 0];
    const play = async () => {
      played += 1;
      return [];
    };
    const stop = startDeviceActivity({ play }, { editsPerMinute: 60, isOn: () => isOn }, undefined);
    vi.advanceTimersByTime(5_000);
    expect(played).toBe(0);
    isOn = true;
    vi.advanceTimersByTime(1_000);
    expect(played).toBe(1);
    await stop();
  } finally {
    vi.useRealTimers();
  }
});

it('restores objects, op-log, numbers, and deployed models after a restart', async () => {
  const database = `test_journey_${randomBytes(6).toString('hex')}`;
  const definition = { ...smallDeployment, objects: regions };
  const first = await startTestJourney({ database, deployments: [definition] });
  const call = createCaller(first.deployment(definition.id));
  await call('DELETE', `objects/region/${regions[0]?.id}.json`);
  const deployed = await first.deployment(definition.id).deploy(smallSchema.replace('label="Age"', 'label="Years"'));
  const before = (await call('GET', 'oplog.json?start=0')).text;
  await first.stop();

  const again = await startTestJourney({ database, deployments: [definition] });
  const callAgain = createCaller(again.deployment(definition.id));
  expect((await callAgain('GET', 'oplog.json?start=0')).text).toBe(before);
  expect((await callAgain('GET', 'objects/region.json')).body.total).toBe(2);
  expect((await callAgain('GET', 'datamodel.json')).body.datamodel_hash).toBe(deployed.hash);
  await callAgain('POST', 'objects/region.json', { region: { name: 'Next' } });
  expect((await callAgain('GET', 'oplog.json?tail=true&limit=1')).body.entries[0].sequence).toBe(5);
  await again.stop();

  const redefined = { ...definition, schemaXml: smallSchema.replace('label="Age"', 'label="Winters"') };
  const restarted = await startTestJourney({ database, deployments: [redefined] });
  const { body } = await createCaller(restarted.deployment(definition.id))('GET', 'datamodel.json');
  expect(body.models.farmer.fields.age.label).toBe('Winters');
  await restarted.stop({ dropDatabase: true });
});

it('leaves nothing running after a start with a port in use or an invalid schema', async () => {
  const simulator = await startTestJourney();
  await expect(startTestJourney({ port: simulator.port })).rejects.toThrow('EADDRINUSE');
  await expect(startTestJourney({ deployments: [{ ...smallDeployment, schemaXml: '<x/>' }] })).rejects.toThrow(
    'data-model',
  );
  await simulator.stop({ dropDatabase: true });
});

/**
 * Helium's PostgreSQL stops while changes flow in both directions, and returns with what was
 * committed.
 */
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Fields } from '../../../record/fields.ts';
import { type Ending, startRestartedPostgres } from '../../../restarted-postgres.fixture.ts';
import {
  editBothSides,
  expectAtRest,
  insertRegion,
  regionFields,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld } from '../../testing/sync-world.fixture.ts';

const endings: readonly (readonly [how: string, ending: Ending])[] = [
  ['is restarted', 'SIGINT'],
  ['crashes', 'SIGQUIT'],
];

test.each(endings)(
  'loses and repeats nothing when the server %s in the middle of a batch and a page',
  async (_, ending) => {
    const server = await startRestartedPostgres();
    onTestFinished(() => server.stop());
    const world = await createSyncWorld({ serverUrl: server.url });
    onTestFinished(() => world.stop());
    const restartingRun = world.startWithRestarts();
    const expected: Record<string, Fields> = {};
    await world.waitUntilEqual();

    for (let round = 0; round < 3; round += 1) {
      const [before, interruptionCount] = [await world.deployment.writes(), restartingRun.interruptions.length];
      const [heliumIds, journeyIds, sharedId] = [
        Array.from({ length: 500 }, () => randomUUID()),
        Array.from({ length: 500 }, () => randomUUID()),
        await insertRegion(world, `round ${round}`),
      ];
      await world.waitUntilEqual();
      // A batch is in flight, and its response finds the database unavailable.
      world.journey.faults.set({ mode: 'delay', delayMs: 1_000, path: 'batch', times: 1 });
      await world.sql(
        'insert into $s.region (_id_, _tstamp_, name) select id, now(), $2 from unnest($1::uuid[]) as made (id)',
        [heliumIds, `helium ${round}`],
      );
      await waitUntil(() => world.journey.faults.list().length === 0);
      // A page is written and not committed: it waits for the integration's row.
      const holder = await world.helium.connect();
      await holder.query('begin; select from __portal_sync__.run for update');
      await world.edit(
        ...journeyIds.map((id) => ({
          method: 'put' as const,
          object: { type: 'region', id, name: `journey ${round}` },
        })),
        { method: 'patch', object: { type: 'region', id: sharedId, code: 100 + round } },
      );
      await waitUntil(async () => (await world.sql(lockWaits)).rowCount);

      await server.end(ending);
      const outageId = randomUUID();
      await world.edit({ method: 'put', object: { type: 'region', id: outageId, name: `away ${round}` } });
      await waitUntil(() => restartingRun.interruptions.length > interruptionCount);
      await server.start();

      for (const id of heliumIds) expected[`region/${id}`] = regionFields(`helium ${round}`);
      for (const id of journeyIds) expected[`region/${id}`] = regionFields(`journey ${round}`);
      expected[`region/${sharedId}`] = regionFields(`round ${round}`, 100 + round);
      expected[`region/${outageId}`] = regionFields(`away ${round}`);
      await expectAtRest(world, expected);
      // Our effective writes: those of the batch, and the row that both sides know.
      expect((await world.deployment.writes()).api - before.api).toBe(heliumIds.length + 1);
    }
    Object.assign(expected, await editBothSides(world, 'afterwards'));
    await expectAtRest(world, expected);
    expect(await world.heliumRows()).toEqual(expected);
    expect(restartingRun.failures).toEqual([]);
    expect(await world.conflicts()).toEqual([]);
    expect(await world.held()).toEqual([]);
  },
  300_000,
);

const lockWaits = `select from pg_stat_activity
  where application_name like 'portal-sync%' and wait_event_type = 'Lock' and datname = current_database()`;

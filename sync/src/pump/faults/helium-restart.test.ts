/**
 * Helium's PostgreSQL goes away in the middle of a flow in both directions, and comes back with
 * what was committed.
 */
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { schema } from '../../helium/helium-end.fixture.ts';
import type { Fields } from '../../record/fields.ts';
import { type Ending, startRestartedPostgres } from '../../restarted-postgres.fixture.ts';
import { createSyncWorld } from '../testing/sync-world.fixture.ts';
import { editBoth, expectAtRest, insertRegion, regionOf, until } from './fault-steps.fixture.ts';

const endings: readonly (readonly [how: string, ending: Ending])[] = [
  ['is restarted', 'SIGINT'],
  ['crashes', 'SIGQUIT'],
];

test.each(endings)(
  'the server %s in the middle of a batch and of a page: nothing is lost, nothing comes twice',
  async (_, ending) => {
    const server = await startRestartedPostgres();
    onTestFinished(() => server.stop());
    const world = await createSyncWorld({ serverUrl: server.url });
    onTestFinished(() => world.stop());
    const kept = world.keep();
    const expected: Record<string, Fields> = {};
    await world.untilEqual();

    for (let round = 0; round < 3; round += 1) {
      const [before, interrupted] = [await world.deployment.writes(), kept.interruptions.length];
      const [here, there, both] = [
        Array.from({ length: 500 }, () => randomUUID()),
        Array.from({ length: 500 }, () => randomUUID()),
        await insertRegion(world, `round ${round}`),
      ];
      await world.untilEqual();
      // A batch is under way, and its answer finds the database gone.
      world.journey.faults.set({ mode: 'delay', delayMs: 1_000, path: 'batch', times: 1 });
      await world.sql(
        'insert into $s.region (_id_, _tstamp_, name) select id, now(), $2 from unnest($1::uuid[]) as made (id)',
        [here, `here ${round}`],
      );
      await until(() => world.journey.faults.list().length === 0);
      // A page is half written: it waits for a row that somebody holds.
      const writer = await world.helium.connect();
      await writer.query('begin');
      await writer.query(`update ${schema}.region set name = 'never committed' where _id_ = $1`, [both]);
      await world.edit(
        ...there.map((id) => ({ method: 'put' as const, object: { type: 'region', id, name: `there ${round}` } })),
        { method: 'patch', object: { type: 'region', id: both, code: 100 + round } },
      );
      await until(async () => (await world.sql(waits)).rowCount);

      await server.end(ending);
      const away = randomUUID();
      await world.edit({ method: 'put', object: { type: 'region', id: away, name: `away ${round}` } });
      await until(() => kept.interruptions.length > interrupted);
      await server.begin();

      for (const id of here) expected[`region/${id}`] = regionOf(`here ${round}`);
      for (const id of there) expected[`region/${id}`] = regionOf(`there ${round}`);
      expected[`region/${both}`] = regionOf(`round ${round}`, 100 + round);
      expected[`region/${away}`] = regionOf(`away ${round}`);
      await expectAtRest(world, expected);
      // Effective writes of ours: those of the batch, and the row that both know.
      expect((await world.deployment.writes()).api - before.api).toBe(here.length + 1);
    }
    Object.assign(expected, await editBoth(world, 'afterwards'));
    await expectAtRest(world, expected);
    expect(await world.heliumRows()).toEqual(expected);
    expect(kept.failures).toEqual([]);
    expect(await world.conflicts()).toEqual([]);
    expect(await world.held()).toEqual([]);
  },
  300_000,
);

const waits = `select from pg_stat_activity
  where application_name = 'portal-sync' and wait_event_type = 'Lock' and datname = current_database()`;

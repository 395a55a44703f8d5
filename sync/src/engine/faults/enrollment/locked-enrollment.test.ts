/** A lock of another transaction that a round of enrollment meets. */
import { expect, onTestFinished, test } from 'vitest';
import { waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { fileSchemaXml, fileTables } from '../../testing/file-editor.fixture.ts';
import { enrollment, PlayedUsers, userKeys, userTables } from '../../testing/played-users.fixture.ts';
import { createSyncWorld } from '../../testing/sync-world.fixture.ts';
import { randomFrom } from '../processes/kill-loop.fixture.ts';

test('repeats a round soon after a lock has stopped it, although other failures are repeated after an hour', async () => {
  const world = await createSyncWorld({
    tables: { ...fileTables, ...userTables },
    sql: userKeys,
    schemaXml: fileSchemaXml,
    timing: { enrollmentRetryMs: 3_600_000 },
  });
  onTestFinished(() => world.stop());
  const users = new PlayedUsers(world, randomFrom(1));
  await users.create();
  const app = await world.helium.connect();
  await app.query('begin; lock table devicesession in exclusive mode');
  world.start((config) => ({ ...config, journeyToHeliumEnrollment: enrollment }));
  await waitForLog(world, /WARNING Enrollment: Other transactions hold locks on rows that enrollment of/);
  await app.query('commit');
  await waitUntil(() => users.areSynced());
  expect(world.log.filter((line) => /^(SEVERE|BUG)/.test(line))).toEqual([]);
});

/** What the sync service stores, on every version that the portal's database may have. */
import { getIntegration } from '@portal/contract/sync/integration';
import { migrate } from '@portal/kit/postgres/migrate';
import { oldestVersions } from '@portal/kit/postgres/server-version';
import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configFor, grain, startTestService, type TestService, until } from '../service.fixture.ts';
import { migrationsFolder, migrationTable } from './migrations-folder.ts';

const versions = findTestVersions().filter(({ major }) => major >= oldestVersions.portalDatabase);

describe.each(versions)('the sync service with its database on $name', ({ startExclusive }) => {
  let postgres: TestServer;
  let test: TestService;

  beforeAll(async () => {
    postgres = await startExclusive();
    await migrate(postgres.url, migrationsFolder, migrationTable);
    test = await startTestService(postgres.url);
  });
  afterAll(async () => {
    await test.stop();
    await postgres.stop();
  });

  it('saves an integration, runs it under a lease, stores its log and figures, and deletes it', async () => {
    expect(await test.merge(configFor(), grain)).toEqual({ value: 'Saved and enabled.' });
    await until(() => test.engine.running(grain.id).length === 1);
    const [running] = test.engine.running(grain.id);
    running?.run.log('INFO', 'It runs.');
    running?.run.publish({ deadLetters: 2 });
    const get = () => test.call(getIntegration, undefined, { appId: grain.id });
    await until(async () => (await get()).body.deadLetters === 2);
    await until(async () => (await test.parts.pool.query(`select from sync.log where value = 'It runs.'`)).rowCount);
    expect(await test.destroy(grain.id)).not.toHaveProperty('failed');
    expect((await get()).status).toBe(404);
  });
});

import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@portal/kit/postgres/migrate';
import { withClient } from '@portal/kit/postgres/pool';
import { createTestDatabase } from '@portal/kit/postgres/test-database';
import { expect, it } from 'vitest';
import { migrationsFolder } from './migrations-folder.ts';

it('the migration to keyed ids deletes the snapshots whose ids are hashes of statements', async () => {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'portal-migrations-'));
  try {
    await copyFile(join(migrationsFolder, '0001.do.portal.sql'), join(folder, '0001.do.portal.sql'));
    await migrate(database.url, folder);
    await withClient({ connectionString: database.url }, async (client) => {
      await client.query(
        `insert into statement_snapshot (environment, data_source, taken_at, kind, server_started_at, numbers)
         values ('Production', 'helium-app-1', now(), 'scheduled', now(), '\\x00')`,
      );
    });
    expect(await migrate(database.url, migrationsFolder)).toContain('keyed-statement-ids');
    await withClient({ connectionString: database.url }, async (client) => {
      expect((await client.query('select from statement_snapshot')).rowCount).toBe(0);
    });
  } finally {
    await database.drop();
    await rm(folder, { recursive: true });
  }
});

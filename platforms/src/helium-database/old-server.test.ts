import { pretendOldServer } from '@portal/kit/postgres/old-server.fixture';
import { createTestDatabase } from '@portal/kit/postgres/test-database';
import { expect, it, onTestFinished } from 'vitest';
import { openHeliumDatabase } from './database.ts';

it('a data source that is too old is refused in one sentence, by queries and transactions', async () => {
  const test = await createTestDatabase();
  onTestFinished(() => test.drop());
  const database = openHeliumDatabase({ name: 'helium-app-1', url: await pretendOldServer(test.url, 100023) });
  const problem = {
    name: 'Unreachable',
    message:
      'The data source helium-app-1 runs PostgreSQL 10.23, but PostgreSQL 11 is the oldest supported version; upgrade the server.',
  };
  await expect(database.query('select 1')).rejects.toMatchObject(problem);
  await expect(database.transaction({}, ({ query }) => query('select 1'))).rejects.toMatchObject(problem);
  await database.close();
});

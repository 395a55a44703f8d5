import { withClient } from '@portal/kit/postgres/pool';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { expect, test } from 'vitest';
import { examineGrantingLogin } from './examine-logins.ts';

test("reports app schemas that belong to one of PostgreSQL's own roles, in which the portal does not work", async () => {
  const { lines } = await withClient({ connectionString: getTestPostgresUrl() }, (client) =>
    examineGrantingLogin(async (sql, values) => (await client.query(sql, values)).rows, {
      owners: ['pg_monitor'],
      teams: [],
    }),
  );
  expect(lines.join('\n')).toContain(
    'app schemas belong to pg_monitor, which has more rights than an app may have; the portal does not work in them',
  );
});

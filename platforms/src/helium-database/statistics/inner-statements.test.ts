import { findTestVersions } from '@portal/kit/postgres/test-versions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CountingDatabase,
  type CountingServer,
  getDatabaseUrl,
  getQueryText,
  listStatements,
  roles,
  run,
  startCountingServer,
} from './counting-server.fixture.ts';
import { readOthers, type Statement } from './statements.ts';

const rule = { role: roles.app, schemaName: 'clinic_001' };

// Until version 13, the server does not record which statements ran inside others.
describe.each(findTestVersions().filter(({ major }) => major >= 14))(
  'inner statements on $name',
  ({ major, startExclusive }) => {
    let counted: CountingDatabase;
    let stop: CountingServer['stop'];

    beforeAll(async () => {
      const server = await startCountingServer(startExclusive, {
        settings: { 'pg_stat_statements.track': 'all' },
        sql: `create schema clinic_001 authorization ${roles.app};
       create table clinic_001.visit (id int); alter table clinic_001.visit owner to ${roles.app};
       insert into clinic_001.visit select generate_series(1, 100);
       create function clinic_001.touch() returns void language plpgsql as $$
         begin for at in 1 .. 1000 loop update clinic_001.visit set id = id where id = at; end loop; end $$`,
      });
      ({ counted, stop } = server);
      await run(
        getDatabaseUrl(server.url, { user: roles.app }),
        'select clinic_001.touch()',
        'begin',
        'declare visits cursor for select id from clinic_001.visit where id > 7',
        'fetch 10 from visits',
        'close visits',
        'declare none cursor for select id from clinic_001.visit where id > 777',
        'fetch 10 from none',
        'commit',
        'begin',
        'declare visits cursor for select id from clinic_001.visit where id > 8',
        'fetch 20 from visits',
        'commit',
      );
    });
    afterAll(() => stop());

    const find = (statements: readonly Statement[], text: string) =>
      statements.filter((one) => getQueryText(one).includes(text));

    it('are marked, and have a share that is also part of the share of the statement that ran them', async () => {
      const statements = await listStatements(counted, { rule });
      const [call] = find(statements, 'select clinic_001.touch');
      const [update] = find(statements, 'update clinic_001.visit');
      expect(call).toMatchObject({ isInner: false, calls: 1 });
      expect(update).toMatchObject({ isInner: true, calls: 1000 });
      const total = statements.filter(({ isInner }) => !isInner).reduce((sum, one) => sum + one.total_time, 0);
      for (const { share, total_time } of statements) expect(share).toBeCloseTo(total_time / total, 9);
      const shares = statements.filter(({ isInner }) => !isInner).reduce((sum, { share }) => sum + share, 0);
      expect(shares).toBeCloseTo(1, 9);
    });

    it('never have a share above one where the statement that ran them belongs to another app', async () => {
      const onlyInner = { role: null, schemaName: 'clinic_001' };
      const statements = await listStatements(counted, { rule: onlyInner, search: 'update' });
      expect(statements.length).toBeGreaterThan(0);
      expect(statements.every(({ share }) => share > 0 && share <= 1)).toBe(true);
    });

    it('are not counted twice in the sums of other apps', async () => {
      const { database, server, extension } = counted;
      const all = await listStatements(counted);
      const others = await readOthers(database, server, extension, { visible: [] });
      const outer = all.filter(({ isInner }) => !isInner);
      expect(outer.length).toBeLessThan(all.length);
      expect(others.count).toBe(outer.length);
      expect(others.calls).toBe(outer.reduce((sum, { calls }) => sum + calls, 0));
      expect(others.share).toBeCloseTo(1, 9);
    });

    it('include the query of a cursor, whose time is part of the FETCH that runs it', async () => {
      const cursors = find(await listStatements(counted, { rule }), 'cursor for');
      const outer = cursors.filter(({ isInner }) => !isInner);
      const inner = cursors.filter(({ isInner }) => isInner);
      // A DECLARE has no rows of its own.
      expect(outer.reduce((sum, { rows }) => sum + rows, 0)).toBe(0);
      expect(outer.reduce((sum, { calls }) => sum + calls, 0)).toBe(3);
      // Those that were closed, and those that ended with their transaction.
      expect(inner.map(({ calls, rows }) => ({ calls, rows })).sort((one, other) => one.rows - other.rows)).toEqual(
        major < 18
          ? []
          : [
              { calls: 1, rows: 10 },
              { calls: 2, rows: 20 },
            ],
      );
    });
  },
);

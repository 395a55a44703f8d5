import { findTestVersions } from '@portal/kit/postgres/test-versions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CountingDatabase,
  type CountingServer,
  getQueryText,
  listStatements,
  openCountingDatabase,
  run,
  startCountingServer,
} from './counting-server.fixture.ts';
import { hideLiterals } from './hide-literals.ts';
import { readStatementText } from './statement-text.ts';
import { readAllNumbers, readTexts } from './statements.ts';

// cspell:ignore cret
const secret = 'S3cret-Marker-1';
const unquotedSecret = 'S3cretMarker1';

const utilityStatements = [
  `create role marker_r login password '${secret}'`,
  `alter user marker_r with password '${secret}' valid until '2030-01-01'`,
  `create group marker_g password '${secret}'`,
  `create role "o'neil" password E'\\'${secret}'`,
  `alter role marker_r password U&'${secret}'`,
  `create foreign data wrapper marker_w options (password '${secret}')`,
  `alter foreign data wrapper marker_w options (set password '${secret}x')`,
  `create server marker_s foreign data wrapper marker_w options (password '${secret}')`,
  `alter server marker_s options (set password '${secret}x')`,
  `create user mapping for marker_r server marker_s options (user 'x', password '${secret}')`,
  `alter user mapping for marker_r server marker_s options (set password '${secret}x')`,
  `create foreign table marker_t (id int options (key '${secret}')) server marker_s options (password '${secret}')`,
  `alter foreign table marker_t options (set password '${secret}x')`,
  `create subscription marker_p connection 'host=x password=${secret}' publication p with (connect = false)`,
  `alter subscription marker_p connection 'host=x password=${secret}x'`,
  `do $$ begin perform '${secret}'; end $$`,
  `do $body$ begin perform $$${secret}$$; end $body$ language plpgsql`,
  `do '/* don''t */ begin perform ''${secret}''; end' language plpgsql`,
  `create function marker_f() returns text language sql as $f$ select '${secret}' $f$`,
  `set marker.password = '${secret}'`,
  `set marker.password to ${unquotedSecret}`,
  `set marker.password = "${unquotedSecret}"`,
  `alter role marker_r set marker.password = ${unquotedSecret}`,
  `copy (select '${secret}') to program 'cat > /dev/null # ${secret}'`,
  `select '${secret}' as password into marker_into`,
  `select $$${secret}$$ as password into marker_into_2`,
  `create table marker_as as select '${secret}' as password`,
  `begin; declare marker_c cursor for select '${secret}'; commit`,
  `prepare marker_q as select '${secret}'`,
  `execute marker_q`,
  `explain select '${secret}'`,
  `comment on table marker_as is 'it''s ${secret}' -- ${secret}`,
  `comment /* ${secret} */ on table marker_as is null`,
  `set standard_conforming_strings = off`,
  `comment on table marker_as is 'it\\'s ${secret}'`,
  `create table marker_d (a text default '${secret}', b int)`,
];

const queries = [
  `select set_config('marker.password', '${secret}', false)`,
  `select 'host=x password=${secret}' as connection`,
  `insert into marker_d values ('${secret}', 1)`,
  `update marker_d set a = '${secret}' where a = E'${secret}'`,
];

describe.each(findTestVersions())('statements with secrets on $name', ({ major, startExclusive }) => {
  let url: string;
  let counted: CountingDatabase;
  let stop: CountingServer['stop'];

  beforeAll(async () => {
    ({ url, counted, stop } = await startCountingServer(startExclusive, {
      settings: { 'pg_stat_statements.track': 'top' },
    }));
    await run(url, ...utilityStatements, ...queries);
  });
  afterAll(async () => {
    await run(url, 'alter subscription marker_p set (slot_name = none)', 'drop subscription marker_p');
    await stop();
  });

  const isSecret = (text: string) => /s3cret/i.test(text);

  it('are recorded with the secrets, but are read without them', async () => {
    const recorded = await counted.database.query<{ query: string }>(`select query from public.pg_stat_statements`);
    expect(recorded.filter(({ query }) => isSecret(query)).length).toBeGreaterThan(15);
    const { database, extension } = counted;
    const statements = await listStatements(counted, { withOwn: true });
    expect(statements.length).toBeGreaterThan(30);
    const texts = statements.map(getQueryText);
    expect(texts.filter(isSecret)).toEqual([]);
    for (const textLimit of [undefined, 1_000, 45, 20])
      for (const { queryJson } of await listStatements(counted, { textLimit })) expect(queryJson).not.toMatch(/s3c/i);
    const ids = statements.map(({ id }) => id);
    for (const textLimit of [undefined, 45])
      await readTexts(database, extension, { ids, textLimit }, (found) =>
        expect(found.filter(({ queryJson }) => isSecret(queryJson))).toEqual([]),
      );
    for (const id of ids) expect((await readStatementText(database, extension, id, null)).query).not.toMatch(/s3c/i);
  });

  it('show everything but the secrets', async () => {
    const texts = (await listStatements(counted)).map(getQueryText);
    expect(texts).toContain(`create role marker_r login password '***'`);
    expect(texts).toContain(`do $$***$$`);
    expect(texts).toContain(`create table marker_d (a text default '***', b int)`);
    const [role] = await listStatements(counted, { search: 'alter user marker_r valid until', textLimit: 20 });
    expect(role?.queryLength).toBe(`alter user marker_r with password '***' valid until '***'`.length);
  });

  it.each([secret, 's3cret', 'marker-1', unquotedSecret, 'S3cret-Marker-1x', "it''s"])(
    'are not found by searching for %s',
    async (search) => {
      const { database, server, extension } = counted;
      expect(await listStatements(counted, { search })).toEqual([]);
      const numbers = await readAllNumbers(database, server, extension, { search });
      expect(numbers.filter(({ isFound }) => isFound)).toEqual([]);
    },
  );

  it('do not belong to an app because of what is hidden', async () => {
    const rule = { role: null, schemaName: 'S3cret' };
    const statements = await listStatements(counted, { rule });
    expect(statements).toEqual([]);
  });

  it('have ids that depend on a key, the same for all readers with that key', async () => {
    const ids = async (one: CountingDatabase) => (await listStatements(one)).map(({ id }) => id).sort();
    const other = await openCountingDatabase(url);
    const [own, others] = [await ids(counted), await ids(other)];
    await other.database.close();
    expect(own).toEqual(await ids(counted));
    expect(own.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
    expect(new Set(own).size).toBe(own.length);
    expect(others.filter((id) => own.includes(id))).toEqual([]);
  });

  it('report whether they hide literals', async () => {
    const { database, extension } = counted;
    const read = async (search: string) => {
      const [statement] = await listStatements(counted, { search });
      return readStatementText(database, extension, statement?.id ?? '', null);
    };
    expect(await read('create role marker_r')).toMatchObject({ hidesLiterals: true });
    expect(await read('insert into marker_d')).toMatchObject({ hidesLiterals: false });
    expect(await read('as password into marker_into_2')).toMatchObject({ hidesLiterals: major < 16 });
  });

  it('are read without secrets whatever the setting of backslashes is', async () => {
    for (const setting of ['on', 'off']) {
      const [row] = await counted.database.transaction({ readOnly: true }, async (transaction) => {
        await transaction.query(`set local standard_conforming_strings = ${setting}`);
        return transaction.query<{ shown: string }>(
          `select ${hideLiterals('query')} as shown from (select $1::text as query) one`,
          [`create role x password 'a\\' ${secret}' login`],
        );
      });
      expect(row?.shown).toBe(`create role x password '***'`);
    }
  });
});

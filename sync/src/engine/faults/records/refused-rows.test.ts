/**
 * Rows that the app's own database refuses, whatever it calls the error. Each is held with the
 * database's own words, and everything else flows in both directions.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { insertRegion, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;

async function insertFarmer(name: string): Promise<string> {
  const id = randomUUID();
  await world.sql('insert into $s.farmer (_id_, _tstamp_, name) values ($1, now(), $2)', [id, name]);
  return id;
}

afterEach(() => world.stop());

/** Refuses each region whose name is one of these, with what its branch does. */
const refuseByName = (branches: Readonly<Record<string, string>>) => `
  create function $s.refuse() returns trigger language plpgsql as $$ begin
    case new.name
      ${Object.entries(branches)
        .map(([name, body]) => `when '${name}' then ${body};`)
        .join('\n')}
      else null;
    end case;
    return new;
  end $$;
  create trigger refuse before insert or update on $s.region for each row execute function $s.refuse()`;

const raise = (code: string) => `raise exception 'refused with ${code}' using errcode = '${code}'`;

const lasting = ['PT409', 'HE001', 'U0001', '42501', '55000', 'XX000', '42883', '0A000', 'P0001', '54000'];
/** Codes of failures that end, not of the record: it is tried again. */
const passing = ['08001', '53100', '53300', '57P01', '25006', '40001', '57014', '58P01'];

test('holds each record that a trigger refuses, under whatever code, and writes and sends all others', async () => {
  world = await createSyncWorld();
  await world.sql(
    refuseByName({
      ...Object.fromEntries([...lasting, ...passing].map((code) => [code, raise(code)])),
      'a missing table': 'perform * from no_such_table',
      'a missing function': 'perform no_such_function()',
    }),
  );
  const run = world.startWithRestarts();
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
  const names = [...lasting, ...passing, 'a missing table', 'a missing function', 'good'];
  const ids = new Map(names.map((name) => [name, randomUUID()]));
  const idOf = (name: string) => ids.get(name) ?? '';
  await world.edit(
    ...names.map((name) => ({ method: 'put' as const, object: { type: 'region', id: idOf(name), name } })),
  );
  await waitUntil(async () => `region/${idOf('good')}` in (await world.heliumRows()));
  const sent = await insertRegion(world, 'sent');
  await waitUntil(async () => `region/${sent}` in (await world.journeyRows()));

  const held = (fields: object) => expect.objectContaining({ table: 'region', ...fields });
  const contains = (text: string) => expect.stringContaining(text);
  // A search that takes too long ends; the rows that are left wait with one reason until the next.
  await expect
    .poll(async () => Object.fromEntries((await world.held()).map((one) => [one.id, one])))
    .toEqual({
      ...Object.fromEntries([
        ...lasting.map((code) => [idOf(code), held({ state: 'dead', kind: code, reason: `refused with ${code}` })]),
        ...passing.map((code) => [idOf(code), held({ state: 'waiting', reason: contains(`refused with ${code}`) })]),
      ]),
      [idOf('a missing table')]: held({ state: 'dead', kind: '42P01', reason: contains('no_such_table') }),
      [idOf('a missing function')]: held({ state: 'dead', kind: '42883', reason: contains('no_such_function') }),
    });
  expect(run.interruptions).toEqual([]);

  await world.sql('drop trigger refuse on $s.region');
  await waitUntil(async () => (await world.held()).length === lasting.length + 2);
  expect(Object.keys(await world.heliumRows())).toEqual(
    expect.arrayContaining(passing.map((code) => `region/${idOf(code)}`)),
  );
});

test('holds the change and the deletion that a trigger refuses, and makes all others', async () => {
  world = await createSyncWorld();
  const names = ['frozen', 'kept', 'changed', 'deleted'];
  const ids = new Map<string, string>();
  for (const name of names) ids.set(name, await insertRegion(world, name));
  const idOf = (name: string) => ids.get(name) ?? '';
  await world.sql(`
    create function $s.refuse() returns trigger language plpgsql as $$ begin
      if old.name = 'frozen' then raise exception 'frozen' using errcode = '55000'; end if;
      if old.name = 'kept' then raise exception 'kept' using errcode = '42501'; end if;
      return coalesce(new, old);
    end $$;
    create trigger refuse after update or delete on $s.region for each row execute function $s.refuse()`);
  const run = world.startWithRestarts();
  await world.waitUntilEqual();
  const patch = (name: string) => ({ method: 'patch' as const, object: { type: 'region', id: idOf(name), code: 1 } });
  const remove = (name: string) => ({ method: 'delete' as const, object: { type: 'region', id: idOf(name) } });
  await world.edit(patch('frozen'), remove('kept'), remove('deleted'));
  await world.edit({ method: 'patch', object: { type: 'region', id: idOf('changed'), code: 2 } });
  await waitUntil(async () => {
    const rows = await world.heliumRows();
    return rows[`region/${idOf('changed')}`]?.code === 2 && !(`region/${idOf('deleted')}` in rows);
  });
  expect(await world.held()).toMatchObject([
    { state: 'dead', id: idOf('frozen'), kind: '55000', reason: 'frozen' },
    { state: 'dead', id: idOf('kept'), kind: '42501', reason: 'kept' },
  ]);
  expect(run.interruptions).toEqual([]);
});

test('holds no record when Helium refuses a statement whatever its rows are, and names the statement', async () => {
  world = await createSyncWorld();
  await world.sql(`
    create function $s.close() returns trigger language plpgsql as
      $$ begin raise exception 'closed for the audit' using errcode = 'HE001'; end $$;
    create trigger close before insert on $s.region for each statement execute function $s.close()`);
  const run = world.startWithRestarts();
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id, name: 'new' } });
  await waitUntil(() => run.failures.length > 1);
  expect(run.failures).toContain('Helium refuses every insert of region: closed for the audit.');
  expect(await world.held()).toEqual([]);
  await world.sql('drop trigger close on $s.region');
  await waitUntil(async () => `region/${id}` in (await world.heliumRows()));
});

test('has all records of a table wait, instead of each as a dead letter, when a trigger refuses every row of it', async () => {
  world = await createSyncWorld();
  await world.sql(`
    create function $s.refuse() returns trigger language plpgsql as $$ begin perform * from dropped; return new; end $$;
    create trigger refuse before insert on $s.region for each row execute function $s.refuse()`);
  const known = await insertFarmer('known');
  world.startWithRestarts();
  await world.waitUntilEqual();
  const put = (type: string, id: string) => ({ method: 'put' as const, object: { type, id, name: id } });
  const ids = Array.from({ length: 150 }, () => randomUUID());
  await world.edit(...ids.slice(0, 60).map((id) => put('region', id)));
  await waitUntil(async () => (await world.held()).filter(({ state }) => state === 'dead').length === 60);
  await world.edit(...ids.slice(60).map((id) => put('region', id)), put('farmer', known));
  await waitUntil(async () => (await world.held()).filter(({ state }) => state === 'waiting').length === 150);
  const reason = 'Helium refuses every insert of region: relation "dropped" does not exist';
  expect(new Set((await world.held()).map((one) => one.reason))).toEqual(new Set([reason]));
  await expect.poll(() => world.log.filter((line) => line.startsWith(`SEVERE ${reason}`))).toHaveLength(1);
  await waitUntil(async () => (await world.heliumRows())[`farmer/${known}`]?.name === known);

  await world.sql('drop trigger refuse on $s.region');
  // Whatever is accepted first, the others follow at once.
  await world.sql(`update __portal_sync__.held set retry_at = case number when (select min(number) from __portal_sync__.held) then now()
    else now() + interval '1 hour' end`);
  await world.waitUntilEqual();
  expect(await world.held()).toEqual([]);
  expect(Object.keys(await world.heliumRows()).filter((key) => key.startsWith('region/'))).toHaveLength(150);
});

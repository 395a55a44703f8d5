import { randomBytes } from 'node:crypto';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { createHeliumClient, type HeliumClient } from '@portal/platforms/helium/client';
import type { HeliumAppConfigPatch } from '@portal/platforms/helium/wire';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HeliumSimulator, type SimulatedAppHandle, startHeliumSimulator } from './simulator.ts';
import { smallEnvironment } from './small-environment.ts';
import { startTestSimulator } from './test-simulator.ts';

let simulator: HeliumSimulator;
let clinic: SimulatedAppHandle;
let client: HeliumClient;
let asApp: pg.Client;
const credentials = { userName: 'demo', password: 'demo' };

beforeAll(async () => {
  simulator = await startTestSimulator();
  clinic = simulator.app('Clinic Visits');
  client = createHeliumClient({ baseUrl: simulator.baseUrl });
  asApp = new pg.Client(clinic.url);
  await asApp.connect();
});
afterAll(async () => {
  await asApp.end();
  await simulator.stop({ dropDatabases: true });
});
const calm: HeliumAppConfigPatch = {
  disabled: false,
  locked: false,
  maxDatabaseResults: 1000,
  disabledMessage: null,
  lockedMessage: null,
};
afterEach(() => configure(calm));

const configure = (patch: HeliumAppConfigPatch) => client.patchAppConfig({ credentials, appId: clinic.id, patch });
const toggle = (scheduledEvent: string, state: 'Enabled' | 'Disabled') =>
  client.toggleScheduledEvent({ credentials, appId: clinic.id, scheduledEvent, state });
const login = async (userName = 'demo', password = 'demo') => {
  const authorization = `Basic ${btoa(`${userName}:${password}`)}`;
  const response = await fetch(`${simulator.baseUrl}/api/1/login/${clinic.id}`, {
    method: 'POST',
    headers: { authorization },
  });
  return { status: response.status, text: await response.text() };
};
/** 02:15 in Johannesburg, when a function is due that runs once a day. */
const night = new Date('2026-11-20T00:15:30Z');
const ranAt = async (minute: Date) => (await simulator.runDue(minute)).map(({ qualifiedName }) => qualifiedName).sort();
const readRows = async (sql: string) => (await asApp.query(sql)).rows;

describe('simulated scheduled function', () => {
  it('runs in its minute of the environment’s own time zone only', async () => {
    expect(await ranAt(night)).toEqual(['Nightly:closeOldVisits', 'Reminders:callGateway', 'Reminders:sendReminders']);
    expect(await ranAt(new Date('2026-11-20T02:15:30Z'))).not.toContain('Nightly:closeOldVisits');
    expect(await ranAt(new Date('2026-11-20T00:16:00Z'))).toEqual(['Reminders:sendReminders']);
  });

  it('stops running when it is disabled and runs again when it is enabled', async () => {
    await toggle('Reminders:sendReminders', 'Disabled');
    expect(await ranAt(night)).not.toContain('Reminders:sendReminders');
    await toggle('Reminders:sendReminders', 'Enabled');
    expect(await ranAt(night)).toContain('Reminders:sendReminders');
  });

  it('writes a Java stack trace to its result and the log when it fails', async () => {
    const result = await clinic.run('Reminders:callGateway');
    expect(result).toMatchObject({
      success: false,
      error: expect.stringMatching(/^\[Reminders:\d+\] Outbound API call failed$/),
    });
    expect(result?.stackTrace).toMatch(
      /^com\.mezzanineware.*\n\tat (.|\n)*\nCaused by: java\.net\.SocketTimeoutException: Read timed out\n/,
    );
    await clinic.logWritten();
    const logged = await readRows('select key, value from __logging_log__ order by time desc limit 2');
    expect(logged).toEqual([
      { key: 'SEVERE', value: result?.stackTrace },
      { key: 'Runtime Error', value: result?.error },
    ]);
  });

  it('cancels its statement and stops after its time-out', async () => {
    const hasty = await startTestSimulator({ millisPerMinute: 40 });
    const app = hasty.app('Clinic Visits');
    await createHeliumClient({ baseUrl: hasty.baseUrl }).patchAppConfig({
      credentials,
      appId: app.id,
      patch: { processEntryPointTimeouts: { 'Reports:runForever': 1 } },
    });
    expect(await app.run('Reports:runForever')).toMatchObject({
      success: false,
      error: expect.stringContaining('longer than the maximum of 1 minutes'),
    });
    const same = new pg.Client(app.url);
    await same.connect();
    const { rows } = await same.query(
      `select query from pg_stat_activity where usename = current_user and state = 'active' and pid <> pg_backend_pid()`,
    );
    await same.end();
    expect(rows).toEqual([]);
    await hasty.stop({ dropDatabases: true });
  });

  it('fails above the maximum of database results', async () => {
    await configure({ maxDatabaseResults: 29 });
    expect(await clinic.run('Reports:exportVisits')).toMatchObject({
      success: false,
      error: expect.stringContaining('Maximum allowed number of rows exceeded for the SQL select statement'),
    });
    await configure({ maxDatabaseResults: 30 });
    expect(await clinic.run('Reports:exportVisits')).toMatchObject({ success: true });
  });

  it('does not run twice at the same time', async () => {
    const both = await Promise.all([clinic.run('Reports:exportVisits'), clinic.run('Reports:exportVisits')]);
    expect(both.filter((result) => result === undefined)).toHaveLength(1);
  });

  it('appears as Helium’s scheduler in the transaction log', async () => {
    await asApp.query(`update visit set status = 'Open'`);
    await clinic.run('Nightly:closeOldVisits');
    const [named] = await readRows(
      `select t.identity_id, count(c.seq)::int as changes, min(c.seq) > t.seq_before and max(c.seq) <= t.seq_after as bounded
       from __he_sync_transaction_log__ t join __he_sync_obj_change__ c using (tx_id) group by t.tx_id, 1, t.seq_before, t.seq_after
       order by t.tx_id desc limit 1`,
    );
    expect(named).toEqual({ identity_id: '00000000-0000-0000-0000-000000000002', changes: 30, bounded: true });
  });
});

describe('disabled simulated app', () => {
  it('refuses logins with its message and runs no function until it is enabled', async () => {
    await configure({ disabled: true, disabledMessage: 'Closed for the night.' });
    expect(await login()).toEqual({ status: 503, text: 'Closed for the night.' });
    expect(await ranAt(night)).toEqual([]);
    expect(await clinic.run('Reminders:sendReminders')).toBeUndefined();
    await configure({ disabled: false });
    expect(await login()).toMatchObject({ status: 200 });
    expect(await ranAt(night)).toHaveLength(3);
  });
});

describe('locked simulated app', () => {
  it('refuses logins with its message but runs its functions', async () => {
    await configure({ locked: true, lockedMessage: 'Upgrade in progress.' });
    expect(await login()).toEqual({ status: 503, text: 'Upgrade in progress.' });
    expect(await ranAt(night)).toHaveLength(3);
  });

  it('rejects a wrong password with an empty 401', async () => {
    await configure({ locked: true });
    expect(await login('demo', 'wrong')).toEqual({ status: 401, text: '' });
  });
});

describe('simulated Helium databases', () => {
  const asAdmin = async <T>(use: (admin: pg.Client) => Promise<T>) => {
    const admin = new pg.Client(clinic.adminUrl);
    await admin.connect();
    try {
      return await use(admin);
    } finally {
      await admin.end();
    }
  };

  it('hold realistic rows, tracked tables and an untracked one, a view, and a materialized view', async () => {
    const [counts] = await readRows(
      'select (select count(*)::int from visit) as visits, (select count(*)::int from nurse) as nurses',
    );
    expect(counts).toEqual({ visits: 30, nurses: 4 });
    expect(await readRows('select matviewname from pg_matviews where schemaname = current_schema()')).toEqual([
      { matviewname: 'visit_summary' },
    ]);
    expect((await readRows('select sum(visits)::int as visits from visit_summary'))[0]).toEqual({ visits: 30 });
    const tracked = await readRows(`select distinct c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where tgname = '__he_sync_obj_insert_after__' and c.relnamespace = current_schema()::regnamespace order by 1`);
    expect(tracked.map(({ relname }) => relname)).toEqual(['nurse', 'region', 'visit']);
  });

  it('contain a log entry for every initial row', async () => {
    const fresh = await startTestSimulator();
    const farm = new pg.Client(fresh.app('Farm Inputs').url);
    await farm.connect();
    const { rows } = await farm.query(
      `select c.change, c.object_name, count(*)::int as rows from farmer f
       join __he_sync_obj_change__ c on (c.seq, c.object_uuid, c.tx_id) = (f._change_seq_, f._id_, f._tx_id_) group by 1, 2`,
    );
    await farm.end();
    await fresh.stop({ dropDatabases: true });
    expect(rows).toEqual([{ change: 'create', object_name: 'farmer', rows: 10 }]);
  });

  it('restrict an app’s role to its own schema', async () => {
    await expect(asApp.query('select from farm_inputs_001.farmer')).rejects.toThrow(/permission denied/);
  });

  it('allow the administrator to read every schema and all statistics and to transfer a schema without being a superuser', async () => {
    const team = `team_${randomBytes(4).toString('hex')}`;
    await asAdmin(async (admin) => {
      expect((await admin.query('select from clinic_visits_001.visit')).rowCount).toBe(30);
      expect((await admin.query('select from farm_inputs_001.farmer')).rowCount).toBe(10);
      expect((await admin.query(`select rolsuper from pg_roles where rolname = current_user`)).rows).toEqual([
        { rolsuper: false },
      ]);
      const { rows } = await admin.query(
        `select count(*)::int as hidden from pg_stat_statements where query = '<insufficient privilege>'`,
      );
      expect(rows).toEqual([{ hidden: 0 }]);
      await admin.query(`begin; create role ${team}; grant ${team} to current_user; grant usage, create on schema clinic_visits_001 to ${team};
        alter schema clinic_visits_001 owner to ${team}; alter table clinic_visits_001.visit owner to ${team}; rollback`);
    });
  });

  it('count the statements of each app’s own role', async () => {
    await clinic.run('Nightly:closeOldVisits');
    await asAdmin(async (admin) => {
      const { rows } = await admin.query(
        `select pg_get_userbyid(userid) = pg_get_userbyid((select nspowner from pg_namespace where nspname = 'clinic_visits_001')) as own
         from pg_stat_statements where query like 'update visit set status = $1%' and dbid = (select oid from pg_database where datname = current_database())
         order by calls desc limit 1`,
      );
      expect(rows).toEqual([{ own: true }]);
    });
  });

  it('receive the complete log even if their connections were closed in between', async () => {
    await clinic.logWritten();
    await asAdmin((admin) =>
      admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and pid <> pg_backend_pid() and application_name = 'helium'`,
        [new URL(clinic.url).username],
      ),
    );
    clinic.log({ key: 'INFO', value: 'written in the end' });
    const written = () =>
      clinic.logWritten().then(() => readRows(`select value from __logging_log__ where value = 'written in the end'`));
    await expect.poll(() => written().catch(() => [])).toHaveLength(1);
  });
});

describe('simulated app release', () => {
  const readTriggerOid = async () =>
    readRows(
      `select oid from pg_trigger where tgrelid = 'visit'::regclass and tgname = '__he_sync_obj_insert_after__'`,
    );

  it('upgrades the schema with the app’s own role, any number of times', async () => {
    const before = await readTriggerOid();
    for (const _ of ['first', 'second']) await clinic.upgrade();
    expect(await readTriggerOid()).not.toEqual(before);
    await asApp.query(`insert into release_note (_id_, _tstamp_, body) values (gen_random_uuid(), now(), 'faster')`);
    const logged = await readRows(`select change from __he_sync_obj_change__ where object_name = 'release_note'`);
    expect(logged).toEqual([{ change: 'create' }]);
    expect(await readRows('select reviewed_on from visit limit 1')).toEqual([{ reviewed_on: null }]);
  });

  it('cannot be loaded when the role has no permission to change its schema', async () => {
    const admin = new pg.Client(clinic.adminUrl);
    await admin.connect();
    const owner = new URL(clinic.url).username;
    await admin.query(`alter table clinic_visits_001.visit owner to current_user`);
    await expect(clinic.upgrade()).rejects.toThrow('must be owner of table visit');
    await admin.query(`alter table clinic_visits_001.visit owner to ${owner}`);
    await admin.end();
    await expect(clinic.upgrade()).resolves.toBeUndefined();
  });
});

describe('simulated developer team', () => {
  it('logs in without any privileges', async () => {
    const [team] = simulator.teams;
    const asTeam = new pg.Client(team?.url('helium-app-1'));
    await asTeam.connect();
    expect((await asTeam.query('select current_user as name')).rows).toEqual([{ name: team?.name }]);
    await expect(asTeam.query('select * from clinic_visits_001.visit')).rejects.toThrow('permission denied for schema');
    await asTeam.end();
  });
});

describe('stopping the Helium simulator', () => {
  it('interrupts running functions and records that in their results', async () => {
    const short = await startTestSimulator();
    const run = short.app('Clinic Visits').run('Reports:runForever');
    await short.stop({ dropDatabases: true });
    expect(await run).toMatchObject({
      success: false,
      error: expect.stringContaining('the platform is shutting down'),
    });
  });
});

describe('Helium simulator with activity', () => {
  it('logs without any request', async () => {
    const living = await startTestSimulator({ live: true });
    const platform = createHeliumClient({ baseUrl: living.baseUrl });
    const { id: appId } = living.app('Farm Inputs');
    for await (const [record] of platform.streamLogs({ credentials, appId })) {
      expect(record).toMatchObject({ key: 'INFO', value: expect.stringMatching(/^voucher \d+ redeemed$/) });
      break;
    }
    await living.stop({ dropDatabases: true });
  });
});

describe('starting the Helium simulator', () => {
  it('restores rows, ids, configuration, and disabled functions', async () => {
    const namespace = `test_${randomBytes(6).toString('hex')}`;
    const first = await startTestSimulator({ namespace });
    const appId = first.app('Clinic Visits').id;
    const before = createHeliumClient({ baseUrl: first.baseUrl });
    await before.patchAppConfig({
      credentials,
      appId,
      patch: { processEntryPointTimeouts: { 'A:b': 7 }, locked: true },
    });
    await before.toggleScheduledEvent({
      credentials,
      appId,
      scheduledEvent: 'Nightly:closeOldVisits',
      state: 'Disabled',
    });
    await first.stop();

    const second = await startTestSimulator({ namespace });
    const after = createHeliumClient({ baseUrl: second.baseUrl });
    expect(await after.getAppConfig({ credentials, appId })).toMatchObject({
      processEntryPointTimeouts: { 'A:b': 7 },
      locked: true,
    });
    expect((await after.listScheduledEvents({ credentials, appId })).entries).toContainEqual(
      expect.objectContaining({ event: 'closeOldVisits', state: 'Disabled' }),
    );
    await second.stop({ dropDatabases: true });
  });

  it('fails when the port is in use', async () => {
    await expect(startTestSimulator({ port: simulator.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('fails without PostgreSQL', async () => {
    const nowhere = new URL(getTestPostgresUrl());
    nowhere.port = String(simulator.port);
    await expect(
      startHeliumSimulator({ definition: smallEnvironment, postgres: { url: nowhere.href } }),
    ).rejects.toThrow();
  });
});

describe('Helium simulator controls', () => {
  const control = async (method: string, path: string, body?: unknown) => {
    const json =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${simulator.baseUrl}/simulator/${path}`, { method, ...json });
    return { status: response.status, text: await response.text() };
  };

  it('start and stop a log load that is stored in the app’s table', async () => {
    expect(await control('PUT', `load/${clinic.id}`, {})).toEqual({
      status: 200,
      text: 'Clinic Visits logs 10000 lines per second.',
    });
    const loaded = async () =>
      Number((await readRows(`select count(*)::int as n from __logging_log__ where value like '%record%'`))[0]?.n);
    await expect.poll(loaded, { timeout: 100_000 }).toBeGreaterThan(2_000);
    expect(await control('PUT', `load/${clinic.id}`, { linesPerSecond: null })).toMatchObject({
      text: 'Clinic Visits has stopped logging load.',
    });
  });

  it('log the given lines', async () => {
    await control('POST', `log/${clinic.id}`, {
      lines: [{ key: 'SEVERE', value: 'requested line', millis: 1_700_000_000_123 }],
    });
    await clinic.logWritten();
    expect(
      await readRows(
        `select key, extract(epoch from time) * 1000 as millis from __logging_log__ where value = 'requested line'`,
      ),
    ).toEqual([{ key: 'SEVERE', millis: expect.stringMatching(/^1700000000123\./) }]);
  });

  it('run a function', async () => {
    const { text } = await control('POST', `run/${clinic.id}`, { function: 'Nightly:closeOldVisits' });
    expect(JSON.parse(text)).toMatchObject({ qualifiedName: 'Nightly:closeOldVisits', success: true });
  });

  it('set and clear faults', async () => {
    const fault = { path: '^/helium/', mode: 'error500', status: 503 };
    expect(JSON.parse((await control('PUT', 'faults', fault)).text)).toEqual([fault]);
    await expect(client.listApps({ credentials })).rejects.toMatchObject({ message: expect.stringContaining('503') });
    expect(await client.getServiceConfig({ credentials })).toBeDefined();
    expect((await control('PUT', 'faults', [])).text).toBe('[]');
    expect((await client.listApps({ credentials })).entries).toHaveLength(3);
  });

  it.each([
    ['PUT', 'faults', { mode: 'sulk' }, 400],
    ['PUT', 'faults', { mode: 'hang', path: '(' }, 400],
    ['POST', 'run/x', { function: 'A:b' }, 404],
    ['POST', 'nothing', {}, 404],
  ])('reject %s %s %j', async (method, path, body, status) => {
    expect((await control(method, path, body)).status).toBe(status);
  });
});

import { randomBytes } from 'node:crypto';
import { pretendOldServer } from '@portal/kit/postgres/old-server.fixture';
import { hasPgbouncer, startPgbouncer } from '@portal/kit/postgres/pgbouncer.fixture';
import { withClient } from '@portal/kit/postgres/pool';
import { createTestDatabase, getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { hasOpenssl, startTlsServer } from '@portal/kit/postgres/tls-server.fixture';
import { Secret } from '@portal/kit/secret';
import type { HeliumSimulator } from '@portal/simulators/helium/simulator';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createHeliumClient } from '../helium/client.ts';
import { defaultDialect, type HeliumDialect, heliumDialect } from '../helium/dialect/dialect.config.ts';
import { otherDialect, startTranslator } from '../helium/translator.fixture.ts';
import { openHeliumDatabase } from '../helium-database/database.ts';
import { readNewestResults } from '../helium-database/scheduled-function-results.ts';
import { startScriptedServer } from '../journey/scripted-server.fixture.ts';
import { type ExaminedEnvironment, examineEnvironment } from './examine-environment.ts';
import { readSuggestion } from './read-suggestion.fixture.ts';
import { formatSection } from './report.ts';

const merging = heliumDialect.parse({ appConfig: { write: { style: 'merge' } } });
const credentials = { userName: 'demo', password: 'demo' };
let simulator: HeliumSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
  const patch = { processEntryPointTimeouts: { 'Nightly:closeOldVisits': 7 }, locked: true };
  const appId = simulator.app('Clinic Visits').id;
  await createHeliumClient({ baseUrl: simulator.baseUrl }).patchAppConfig({ credentials, appId, patch });
});
afterAll(() => simulator.stop({ dropDatabases: true }));
afterEach(() => simulator.faults.clear());

async function examine(
  options: Partial<ExaminedEnvironment> & { readonly baseUrl?: string; readonly password?: string },
) {
  const { baseUrl = simulator.baseUrl, password = 'demo', ...others } = options;
  const report = await examineEnvironment({
    name: 'Production',
    platform: { baseUrl, credentials: { userName: 'demo', password }, timeoutMs: 5_000 },
    dialect: merging,
    dataSources: [],
    logMs: 0,
    ...others,
  });
  return { ...report, text: report.sections.map(formatSection).join('\n') };
}

async function translate(dialect: HeliumDialect) {
  const translator = await startTranslator(simulator.baseUrl, dialect);
  onTestFinished(() => translator.stop());
  return translator;
}

const toDataSources = () =>
  simulator.dataSources.map(({ heliumDataSourceName: name, url, grantUrl }) => ({
    name,
    url,
    grantUrl,
    teams: simulator.teams.map((team) => team.name),
  }));

describe('doctor on Helium’s administration', () => {
  it('suggests nothing for a platform that is configured correctly', async () => {
    const report = await examine({});
    expect(report.suggestion).toEqual([]);
    expect(report.isGood).toBe(true);
    expect(report.text).toContain('GET /helium/api/v2/app');
    expect(report.text).toContain('[].id: UUID');
    expect(report.text).toContain('understood: 3 apps: Clinic Visits, Farm Inputs, Stock Room');
    expect(report.text).toContain('Log socket of Clinic Visits');
  });

  it('suggests every setting that differs, and needs nothing else once they are set', async () => {
    const { baseUrl } = await translate(otherDialect);
    const report = await examine({ baseUrl });
    expect(readSuggestion(report.suggestion)).toEqual(otherDialect);
    expect(report.isGood).toBe(false);
    expect(await examine({ baseUrl, dialect: otherDialect })).toMatchObject({ isGood: true, suggestion: [] });
  });

  it('calls the platform only to read', async () => {
    const { baseUrl, calls } = await translate(otherDialect);
    await examine({ baseUrl });
    expect(calls.filter((call) => !/^(GET|OPTIONS) /.test(call))).toEqual([]);
  });

  it('asks to confirm the write style of app configurations on a test app until it is set', async () => {
    const { sections, isGood, suggestion } = await examine({ dialect: defaultDialect });
    expect(sections.find(({ title }) => title === 'Write style of app configurations')).toEqual({
      title: 'Write style of app configurations',
      lines: [
        '`helium.appConfig.write.style` is not set. Changes are sent as with `merge`, and rights are not asked for.',
        'It cannot be seen by reading. Confirm it on an app whose settings do not matter:',
        'In the portal, lock the app, set the timeouts of two entry points one after the other, remove one, and unlock the app.',
        'If the portal reports no difference, `merge` is right. Otherwise set `whole`.',
        'Then set what is right:',
        'environments:',
        '  - name: "Production"',
        '    helium:',
        '      appConfig:',
        '        write:',
        '          style: "merge"',
      ],
      isGood: false,
      isPublic: true,
    });
    expect(suggestion).toEqual([]);
    expect(isGood).toBe(false);
  });

  it.each(['merge', 'whole'] as const)('names the write style %s, which reading cannot confirm', async (style) => {
    const dialect = heliumDialect.parse({ appConfig: { write: { style } } });
    const { text } = await examine({ dialect, password: 'wrong' });
    expect(text).toContain(`\`helium.appConfig.write.style\` is \`${style}\`.\n`);
    expect(text).toContain('It cannot be seen by reading. Confirm it on an app whose settings do not matter:');
    expect(text).toContain(`If the portal reports no difference, \`${style}\` is right.`);
  });

  it('reports what was not understood where names do not nearly fit', async () => {
    const translator = await translate(defaultDialect);
    translator.distort = (document) =>
      Array.isArray(document) ? document.map((entry) => ({ ...entry, state: 'PERHAPS' })) : document;
    const report = await examine({ baseUrl: translator.baseUrl });
    expect(report.isGood).toBe(false);
    expect(report.suggestion).toEqual([]);
    expect(report.text).toContain('not understood: entry 1: state: "PERHAPS" is neither "Enabled" nor "Disabled"');
  });

  it('reports wrong credentials without showing them', async () => {
    const report = await examine({ password: 'hunter2-hunter2' });
    expect(report.isGood).toBe(false);
    expect(report.text).toContain('the platform does not accept these credentials');
    expect(report.text).not.toContain('hunter2');
  });

  it('masks secrets that the platform sends', async () => {
    const translator = await translate(defaultDialect);
    translator.distort = (document) =>
      Array.isArray(document) ? document.map((entry) => ({ dbPassword: 'hunter2', ...entry })) : document;
    const report = await examine({ baseUrl: translator.baseUrl });
    expect(report.text).toContain('"dbPassword":"•••"');
    expect(report.text).not.toContain('hunter2');
  });

  it('shows the same of what the platform sends, whatever the caller’s password is', async () => {
    const server = await startScriptedServer();
    onTestFinished(() => server.stop());
    const answer = { error: 'The user demo is not known here', login: 'demo', note: ['e', 'cat', 'a'] };
    server.play((response) => response.writeHead(403).end(JSON.stringify(answer)));
    const texts: string[] = [];
    for (const password of ['e', 'cat', answer.error])
      texts.push((await examine({ baseUrl: server.origin, password })).text);
    expect(texts[0]).toContain(JSON.stringify(answer));
    expect(new Set(texts).size).toBe(1);
  });

  it('masks what the platform repeats of an Authorization header, in any encoding', async () => {
    const translator = await translate(defaultDialect);
    const header = `Basic ${Buffer.from('demo:demo').toString('base64')}`;
    translator.distort = () => ({
      headers: { Authorization: header },
      text: `${header} was sent`,
      query: 'a?pwd=d%65mo',
    });
    const { text } = await examine({ baseUrl: translator.baseUrl });
    expect(text).toContain('{"headers":{"Authorization":"•••"},"text":"Basic •••","query":"a?pwd= •••"}');
    expect(text).not.toContain(header);
  });

  it('does not show a response that it cannot read as JSON', async () => {
    simulator.faults.set({ mode: 'html' });
    const { text } = await examine({});
    expect(text).toMatch(/\d+ characters that are not JSON, and may hold secrets, are not shown/);
    expect(text).not.toContain('<html');
  });

  it('reports a platform that does not answer', async () => {
    simulator.faults.set({ mode: 'refuse' });
    const report = await examine({});
    expect(report.isGood).toBe(false);
    expect(report.text).toContain('the connection was closed');
  });
});

describe('doctor on a scheduled function', () => {
  const toggle = { app: 'Clinic Visits', name: 'Nightly:closeOldVisits' };
  const clinic = () => ({ credentials, appId: simulator.app(toggle.app).id });
  const client = () => createHeliumClient({ baseUrl: simulator.baseUrl });
  const readState = async () => (await client().listScheduledEvents(clinic())).entries[0]?.state;
  const setState = (state: 'Enabled' | 'Disabled') =>
    client().toggleScheduledEvent({ ...clinic(), scheduledEvent: toggle.name, state });

  it('toggles it once and back, and reports that nothing else changed', async () => {
    const { isGood, text } = await examine({ toggle });
    expect(text).toContain('changed: [0].state: "Enabled" → "Disabled"\n');
    expect(text).toContain('everything is back as it was');
    expect(isGood).toBe(true);
  });

  it('toggles it with the settings that it suggests', async () => {
    const { baseUrl } = await translate(otherDialect);
    const { text } = await examine({ baseUrl, toggle });
    expect(text).toContain('changed: .data.items[0].active: true → false\n');
    expect(text).toContain('everything is back as it was');
  });

  it('reports a platform that accepts the change without making it', async () => {
    const translator = await translate(defaultDialect);
    translator.ignoresChanges = true;
    const { isGood, text } = await examine({ baseUrl: translator.baseUrl, toggle });
    expect(text).toContain('nothing changed');
    expect(isGood).toBe(false);
  });

  it('is set back when the answer to its toggle is lost', async () => {
    simulator.faults.set({ method: 'POST', path: 'scheduled-events', mode: 'drop', times: 1 });
    const { isGood, text } = await examine({ toggle });
    expect(text).toContain('changed: [0].state: "Enabled" → "Disabled"\n');
    expect(text).toContain('everything is back as it was');
    expect(isGood).toBe(false);
    expect(await readState()).toBe('Enabled');
  });

  it('is reported with what to do when it cannot be set back', async () => {
    simulator.faults.set({ method: 'POST', path: 'scheduled-events', mode: 'refuse', skip: 1 });
    const { isGood, text } = await examine({ toggle });
    expect(text).toContain('not set back: [0].state: "Enabled" → "Disabled"\n');
    expect(text).toContain('Set Nightly:closeOldVisits of Clinic Visits to Enabled, if it is not.');
    expect(isGood).toBe(false);
    simulator.faults.clear();
    expect(await readState()).toBe('Disabled');
    await setState('Enabled');
  });

  it('is a problem when its change cannot be read', async () => {
    const path = `scheduled-events/${simulator.app(toggle.app).id}`;
    simulator.faults.set({ method: 'GET', path, mode: 'error500', skip: 2, times: 1 });
    const { isGood, text } = await examine({ toggle });
    expect(text).toContain('not read after the toggle: status 500\n');
    expect(text).toContain('everything is back as it was');
    expect(isGood).toBe(false);
  });

  it('is reported as unknown when it cannot be read again', async () => {
    // The examination reads the functions once, and the toggle reads them before and after it.
    const path = `scheduled-events/${simulator.app(toggle.app).id}`;
    simulator.faults.set({ method: 'GET', path, mode: 'error500', skip: 3 });
    const { isGood, text } = await examine({ toggle });
    expect(text).toContain('not read again: status 500');
    expect(text).toContain('Set Nightly:closeOldVisits of Clinic Visits to Enabled, if it is not.');
    expect(isGood).toBe(false);
    simulator.faults.clear();
    expect(await readState()).toBe('Enabled');
  });

  it('reports an app or a function that does not exist', async () => {
    expect((await examine({ toggle: { ...toggle, app: 'Nothing' } })).text).toContain('There is no app Nothing.');
    expect((await examine({ toggle: { ...toggle, name: 'No:such' } })).text).toContain('no scheduled function No:such');
  });
});

describe('doctor on data sources', () => {
  it('reports version, encryption, pooler, rights and schemas', async () => {
    const { isGood, text } = await examine({ dataSources: toDataSources() });
    expect(text).toMatch(/Data source helium-app-1\n.*PostgreSQL \d+/);
    expect(text).toContain('not encrypted');
    expect(text).toContain('connected directly, without a pooler');
    expect(text).toContain('every listed app has its schema in a data source');
    expect(text).toMatch(/reading login \S+: catalogs and statistics\n +granting login \S+: access of teams/);
    expect(isGood).toBe(true);
  });

  it('reports tables whose changes Helium does not log because its triggers are disabled', async () => {
    const { url, schemaName } = simulator.app('Clinic Visits');
    const { rows } = await withClient({ connectionString: url }, (client) =>
      client.query<{ name: string }>(
        `select min(c.relname) as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
         where t.tgname = '__he_sync_obj_insert_after__' and c.relnamespace = $1::regnamespace`,
        [schemaName],
      ),
    );
    const table = rows[0]?.name ?? '';
    const switchTracking = (state: 'disable' | 'enable') =>
      withClient({ connectionString: url }, (client) =>
        client.query(`alter table ${schemaName}.${table} ${state} trigger user`),
      );
    await switchTracking('disable');
    onTestFinished(async () => void (await switchTracking('enable')));
    const { isGood, text } = await examine({ dataSources: toDataSources() });
    expect(text).toContain(
      `Helium does not log all changes of ${table} in ${schemaName}, so sync misses them: triggers named __he_sync_obj_… are disabled`,
    );
    expect(isGood).toBe(false);
  });

  it('lists what the owner of one app could do where one login does everything', async () => {
    const [{ heliumDataSourceName: name }] = simulator.dataSources;
    const { isGood, text } = await examine({ dataSources: [{ name, url: simulator.adminUrl(name) }] });
    expect(text).toMatch(
      /one login does everything: .* run with the rights of \S+_helium_admin where the portal reads/,
    );
    expect(text).toMatch(
      /the owner of one app could read clinic_visits_001, farm_inputs_001; act as .* and \d+ more; give .* to others; use CREATEROLE/,
    );
    expect(isGood).toBe(false);
  });

  it('reports the rights that separate logins lack or need not have, with statements that correct them', async () => {
    const [dataSource] = toDataSources();
    if (!dataSource) throw new Error('the platform has no data source');
    const suffix = randomBytes(4).toString('hex');
    const [reading, granting] = [`reading_${suffix}`, `granting_${suffix}`];
    const asUser = (user: string) => Object.assign(new URL(dataSource.url), { username: user, password: 'test' }).href;
    const asAdministrator = (sql: string) =>
      withClient(
        {
          connectionString: Object.assign(new URL(getTestPostgresUrl()), { pathname: new URL(dataSource.url).pathname })
            .href,
        },
        (client) => client.query(sql),
      );
    const schema = simulator.app('Clinic Visits').schemaName;
    await asAdministrator(`create role ${reading} login password 'test' createdb in role ${new URL(simulator.app('Clinic Visits').url).username};
      create role ${granting} login password 'test'`);
    onTestFinished(async () => {
      await asAdministrator(`drop owned by ${reading}, ${granting}; drop role ${reading}, ${granting}`);
    });
    const logins = { ...dataSource, url: asUser(reading), grantUrl: asUser(granting) };
    const first = await examine({ dataSources: [logins] });
    expect(first.isGood).toBe(false);
    const statements = first.text
      .split('\n')
      .flatMap((line) => /: ((?:GRANT|REVOKE|ALTER) .*;)$/.exec(line)?.[1] ?? []);
    expect(statements.map((each) => each.replaceAll(suffix, '…'))).toEqual([
      'ALTER ROLE "reading_…" NOCREATEDB;',
      expect.stringMatching(/^REVOKE ".*" FROM "reading_…";$/),
      'GRANT pg_read_all_stats TO "reading_…";',
      'ALTER ROLE "granting_…" CREATEROLE;',
      expect.stringMatching(/^GRANT CREATE ON DATABASE ".*" TO "granting_…";$/),
      ...Array(4).fill(expect.stringMatching(/^GRANT ".*" TO "granting_…" WITH ADMIN TRUE, INHERIT TRUE, SET TRUE;$/)),
    ]);
    await asAdministrator(statements.join('\n'));
    const second = await examine({ dataSources: [logins, ...toDataSources().slice(1)] });
    expect(second.text).not.toMatch(/missing right|right too many/);
    expect(second.isGood).toBe(true);
    const database = openHeliumDatabase({
      name: 'helium-app-1',
      url: logins.url,
      logins: { grantUrl: logins.grantUrl, key: new Secret('7'.repeat(64)) },
    });
    expect((await readNewestResults(database, schema, { limit: 1 })).length).toBe(1);
    await database.close();
  });

  it.skipIf(!hasOpenssl)('reports the version of an encrypted connection', async () => {
    const server = await startTlsServer();
    onTestFinished(() => server.stop());
    const url = server.urlFor(`sslmode=verify-full&sslrootcert=${server.authority.certificate}`);
    const { text } = await examine({ dataSources: [{ name: 'helium-app-1', url }] });
    expect(text).toMatch(/encrypted with TLSv1\.\d/);
  });

  it.skipIf(!hasPgbouncer)('recognizes a pooler', async () => {
    const dataSources = toDataSources();
    const pgbouncer = await startPgbouncer(...dataSources.map(({ url }) => url));
    onTestFinished(() => pgbouncer.stop());
    const { text } = await examine({
      dataSources: dataSources.map(({ name, url }) => ({ name, url: pgbouncer.toPooled(url) })),
    });
    expect(text.match(/behind a pooler/g)).toHaveLength(dataSources.length);
  });

  it.each([
    ['yes', 'treated as behind a pooler, because its address has pooled=yes'],
    ['no', 'treated as connected directly, because its address has pooled=no'],
  ])('reports how a data source with pooled=%s in its address is treated', async (value, line) => {
    const dataSources = toDataSources().map(({ name, url }) => ({ name, url: `${url}?pooled=${value}` }));
    const { text } = await examine({ dataSources });
    expect(text.split('\n').filter((each) => each.includes(line))).toHaveLength(dataSources.length);
  });

  it('reports a server that is too old', async () => {
    const old = await createTestDatabase();
    onTestFinished(() => old.drop());
    const oldSource = { name: 'helium-app-3', url: await pretendOldServer(old.url, 100023) };
    const { isGood, text } = await examine({ dataSources: [...toDataSources(), oldSource] });
    expect(text).toContain(
      'The server runs PostgreSQL 10.23, but PostgreSQL 11 is the oldest supported version; upgrade the server.',
    );
    expect(isGood).toBe(false);
  });

  it('names the apps whose schema no data source has', async () => {
    const { isGood, text } = await examine({ dataSources: toDataSources().slice(0, 1) });
    expect(text).toContain('no data source has the schema stock_room_001 of Stock Room');
    expect(isGood).toBe(false);
  });

  it('reports rights that are missing, with the statement that grants them', async () => {
    const { dataSource, url } = simulator.app('Farm Inputs');
    const asOtherApp = { name: dataSource.heliumDataSourceName, url };
    const { isGood, text } = await examine({ dataSources: [asOtherApp] });
    expect(text).toContain('missing right: GRANT USAGE ON SCHEMA "clinic_visits_001" TO ');
    expect(text).toMatch(
      /may not write \d+ tables of clinic_visits_001; only sync needs this: GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN/,
    );
    expect(text).toMatch(/may not create schemas; only sync needs this: GRANT CREATE ON DATABASE ".+" TO ".+";/);
    expect(isGood).toBe(false);
  });

  it('reports a data source that cannot be used, with the reason and without its password', async () => {
    const wrong = toDataSources().map(({ name, url }) => {
      const changed = new URL(url);
      changed.password = 'hunter2';
      return { name, url: changed.href };
    });
    const { isGood, text } = await examine({ dataSources: wrong });
    expect(text).toContain('The data source helium-app-1 rejects the configured user or password.');
    expect(text).not.toContain('hunter2');
    expect(isGood).toBe(false);
  });
});

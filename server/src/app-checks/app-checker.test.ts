import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createEncryption } from '@portal/kit/encryption';
import { createLogger } from '@portal/kit/logger';
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { createMigratedDatabase, type TestDatabase } from '@portal/kit/postgres/test-database';
import { Invalid, NotFound, NotSignedIn, Refused, Unreachable } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { Silent } from '@portal/platforms/reachability';
import type { QueryResultRow } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { configSchema } from '../config.ts';
import { migrationsFolder } from '../database/migrations-folder.ts';
import { Environments } from '../platform/environments.ts';
import { Sessions } from '../session/sessions.ts';
import { createInstantClock } from '../testing/instant-clock.ts';
import { AppChecker } from './app-checker.ts';
import { type CheckSubject, readChecks, saveOpenPage, saveViewer } from './app-checks.store.ts';
import type { CheckSource } from './check-source.ts';
import type { Clock } from './clock.ts';
import { createDataSource } from './data-source.ts';
import { createPlatformSource } from './platform-source.ts';

let database: TestDatabase;
let pool: Pool;
let sessions: Sessions;
const logger = createLogger({ name: 'test', level: 'silent' });
const environment = 'Production';
const area = { environment, subject: 'configuration' } as const;
const checkers: AppChecker[] = [];

beforeAll(async () => {
  database = await createMigratedDatabase(migrationsFolder);
  pool = createPool(database.url, { applicationName: 'test' });
  sessions = new Sessions({
    pool,
    encryption: createEncryption(new Secret(randomBytes(32).toString('hex'))),
    limits: { idleMins: 60, absoluteHours: 10 },
    logger,
  });
});
afterEach(async () => {
  await Promise.all(checkers.splice(0).map((checker) => checker.stop()));
  await pool.query(
    'truncate session_origin, session, app_check_viewer, app_check_page, app_check_source, app_check, background_lease',
  );
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Opens a session that views these apps. */
async function view(userName: string, apps: readonly string[], subject: CheckSubject = 'configuration') {
  const origin = { address: '127.0.0.1', userAgent: null };
  const { sessionId } = await sessions.open(userName, environment, { userName, password: 'secret' }, origin);
  await saveViewer(pool, sessionId, { environment, subject }, apps);
  return sessionId;
}

const openPage = (app: string) => saveOpenPage(pool, environment, { configuration: app, functions: app });

const nameApps = (count: number) => Array.from({ length: count }, (_, at) => `app-${String(at).padStart(3, '0')}`);

interface Call {
  readonly userName: string;
  readonly appId: string;
  /** By the clock of the checks. */
  readonly atMs: number;
}

/** A platform that records its calls, and a checker of it on another node each time. */
function createPlatform(
  answer: (call: Call, calls: readonly Call[]) => { disabled?: boolean } | Promise<{ disabled?: boolean }> = () => ({}),
  clock = createInstantClock(),
) {
  const calls: Call[] = [];
  const state: { silence: Silent | undefined } = { silence: undefined };
  const waiting = new Set<() => void>();
  const helium = {
    get silence() {
      return state.silence;
    },
    async getAppConfig({ credentials, appId }: { credentials: { userName: string }; appId: string }) {
      const call = { userName: credentials.userName, appId, atMs: clock.now() };
      calls.push(call);
      for (const check of waiting) check();
      const texts = { disabledMessage: null, lockedMessage: null };
      const config = { processEntryPointTimeouts: {}, maxDatabaseResults: 100, ...texts, skipped: [], otherFields: [] };
      return { ...config, disabled: false, locked: false, ...(await answer(call, calls)) };
    },
  };
  return {
    calls,
    state,
    createChecker(options: { readonly minAgeMs?: number } = {}): AppChecker {
      const source = createPlatformSource({ name: environment, helium }, { pool, sessions, clock, ...options });
      const checker = new AppChecker({ pool, logger, sources: [source], clock });
      checkers.push(checker);
      return checker;
    },
    /** Resolves when this many calls have arrived. */
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        const check = () => calls.length >= count && resolve();
        waiting.add(check);
        check();
      }),
  };
}

/** Makes the last attempt to check the app this old. */
const age = (app: string, seconds: number) =>
  pool.query(`update app_check set attempted_at = clock_timestamp() - make_interval(secs => $2) where app = $1`, [
    app,
    seconds,
  ]);

/**
 * A data source with these schemas, which records which of them were read. Each takes 25 ms, and
 * the failing ones have one failing function.
 */
function createRecordingDataSource(
  schemas: readonly string[],
  read: string[],
  { failing = [], clock = createInstantClock() }: { readonly failing?: readonly string[]; readonly clock?: Clock } = {},
): CheckSource {
  const query = async <Row extends QueryResultRow>(sql: string | { text: string }): Promise<Row[]> => {
    const [, schema] = /from "(\w+)"\.__scheduled/.exec(typeof sql === 'string' ? sql : sql.text) ?? [];
    if (schema === undefined) return [];
    read.push(schema);
    await clock.pause(25);
    const rows: QueryResultRow[] = [{ qualifiedname: 'A:b', error: null, finished: 0, count: 1 }];
    return failing.includes(schema) ? (rows as Row[]) : [];
  };
  const database: HeliumDatabase = {
    name: 'data',
    silence: undefined,
    statementIdKey: '',
    query: async () => [],
    transaction: (_, work) => work({ query, queryText: async () => [] }),
    withSignal: () => database,
    hasSeparateLogins: true,
    asApp: () => database,
    get granting() {
      return database;
    },
    close: async () => undefined,
  };
  const { environments } = configSchema.parse({
    environments: [{ name: environment, baseUrl: 'http://127.0.0.1:1' }],
    databaseUrl: 'postgres://127.0.0.1:1/portal',
  });
  const served = new Environments(environments, { timeoutMs: 1_000 }).require({});
  const appDatabases = { readSchemas: async () => new Set(schemas) };
  return createDataSource(served, database, { appDatabases, clock });
}

const readResults = async () => {
  const [source] = await readChecks(pool, area, nameApps(400));
  return new Map(source?.checks.map(({ app, result, problem }) => [app, { result, problem }]));
};

describe('checks of a platform', () => {
  it.each([0, 300])(
    'reach 400 apps within five minutes, at no more than 100 calls a minute, when each takes %d ms',
    async (callMs) => {
      await view('demo', nameApps(400));
      const clock = createInstantClock();
      const platform = createPlatform(() => clock.pause(callMs).then(() => ({})), clock);
      await platform.createChecker().competeForLease();
      await platform.arrived(400);
      const calls = platform.calls.slice(0, 400);
      expect(new Set(calls.map(({ appId }) => appId)).size).toBe(400);
      expect((calls.at(-1)?.atMs ?? 0) - (calls[0]?.atMs ?? 0)).toBeLessThan(300_000);
      const inOneMinute = calls.map(({ atMs }) =>
        calls.filter((call) => call.atMs >= atMs && call.atMs < atMs + 60_000),
      );
      expect(Math.max(...inOneMinute.map((minute) => minute.length))).toBeLessThanOrEqual(100);
    },
  );

  it('make the same calls for one viewer and for forty', async () => {
    const apps = nameApps(3);
    for (let index = 0; index < 40; index++) await view(`user-${index}`, apps);
    const platform = createPlatform();
    await platform.createChecker().checkAll();
    expect(platform.calls.map(({ appId }) => appId)).toEqual(apps);
  });

  it('continue on another node with the apps that were not checked yet', async () => {
    await view('demo', nameApps(20));
    const platform = createPlatform();
    const first = platform.createChecker();
    await first.competeForLease();
    await platform.arrived(8);
    await first.stop();
    await platform.createChecker().competeForLease();
    await platform.arrived(20);
    expect(platform.calls.slice(0, 20).map(({ appId }) => appId)).toEqual(nameApps(20));
  });

  it('start with apps that were never checked, and then with the one checked longest ago', async () => {
    await view('demo', nameApps(3));
    const platform = createPlatform();
    const checker = platform.createChecker();
    await checker.checkAll();
    for (const [app, hours] of [
      ['app-000', 1],
      ['app-001', 3],
      ['app-002', 2],
    ]) {
      const sql = 'update app_check set attempted_at = now() - make_interval(hours => $2) where app = $1';
      await pool.query(sql, [app, hours]);
    }
    await view('other', ['new']);
    await checker.checkAll();
    expect(platform.calls.slice(3).map(({ appId }) => appId)).toEqual(['new', 'app-001', 'app-002', 'app-000']);
  });

  it('start with the apps whose pages are open, each followed by five others', async () => {
    await view('demo', nameApps(14));
    for (const app of ['app-013', 'app-011', 'unknown']) await openPage(app);
    const platform = createPlatform();
    await platform.createChecker().checkAll();
    const numbers = platform.calls.map(({ appId }) => Number(appId.slice(4)));
    expect(numbers).toEqual([11, 0, 1, 2, 3, 4, 13, 5, 6, 7, 8, 9, 10, 12]);
  });

  it('reach 400 apps within five minutes also while the pages of several are always due', async () => {
    await view('demo', nameApps(400));
    for (const app of nameApps(6)) await openPage(app);
    const platform = createPlatform();
    await platform.createChecker({ minAgeMs: 0 }).competeForLease();
    const countApps = () => new Set(platform.calls.map(({ appId }) => appId)).size;
    await expect.poll(countApps, { timeout: 60_000 }).toBe(400);
    const last = platform.calls.find(
      (_, at) => new Set(platform.calls.slice(0, at + 1).map(({ appId }) => appId)).size === 400,
    );
    expect(last?.atMs).toBeLessThan(300_000);
  });

  it('are made each ten seconds for an app whose page is open, before the others', async () => {
    await view('demo', nameApps(40));
    const platform = createPlatform();
    const checker = platform.createChecker({ minAgeMs: 3_600_000 });
    await checker.checkAll();
    await openPage('app-020');
    await openPage('app-030');
    await age('app-020', 11);
    await age('app-031', 11);
    await checker.competeForLease();
    await platform.arrived(41);
    await age('app-030', 11);
    await platform.arrived(42);
    expect(platform.calls.slice(40).map(({ appId }) => appId)).toEqual(['app-020', 'app-030']);
  });

  it('do not prefer an app whose page was closed', async () => {
    await view('demo', nameApps(2));
    await openPage('app-001');
    await pool.query(`update app_check_page set opened_at = now() - interval '31 seconds'`);
    const platform = createPlatform();
    await platform.createChecker().checkAll();
    expect(platform.calls.map(({ appId }) => appId)).toEqual(nameApps(2));
  });

  it('are not made without a viewer, nor after the last session has ended', async () => {
    const platform = createPlatform();
    const checker = platform.createChecker();
    await checker.checkAll();
    const sessionId = await view('demo', nameApps(2));
    await sessions.endById(sessionId);
    await checker.checkAll();
    await view('demo', nameApps(2));
    await pool.query(`update app_check_viewer set viewed_at = now() - interval '3 minutes'`);
    await checker.checkAll();
    expect(platform.calls).toEqual([]);
  });

  it('stop when the last session ends, and store nothing for the apps that it viewed', async () => {
    const sessionId = await view('demo', nameApps(5));
    const platform = createPlatform((_, { length }) =>
      length === 2 ? sessions.endById(sessionId).then(() => ({ disabled: true })) : { disabled: true },
    );
    await platform.createChecker().checkAll();
    expect(platform.calls.map(({ appId }) => appId)).toEqual(nameApps(2));
    expect([...(await readResults()).keys()]).toEqual(nameApps(2));
  });

  it.each([
    [403, new Refused('No.')],
    [404, new NotFound('No such app.')],
  ])('use another session when the platform responds with %d to one', async (_, problem) => {
    await view('allowed', ['app-000']);
    await view('limited', ['app-000']);
    const platform = createPlatform(({ userName }) =>
      userName === 'limited' ? Promise.reject(problem) : { disabled: true },
    );
    await platform.createChecker().checkAll();
    expect(platform.calls.map(({ userName }) => userName)).toEqual(['limited', 'allowed']);
    expect((await readResults()).get('app-000')).toEqual({ result: { disabled: true, locked: false }, problem: null });
  });

  it('store nothing for others when the platform refuses the only session', async () => {
    await view('demo', ['app-000']);
    const platform = createPlatform(({ userName }) =>
      userName === 'limited' ? Promise.reject(new Refused('Not for limited.')) : { disabled: true },
    );
    const checker = platform.createChecker();
    await checker.checkAll();
    await pool.query('delete from session');
    await view('limited', ['app-000']);
    await checker.checkAll();
    expect((await readResults()).get('app-000')).toEqual({ result: { disabled: true, locked: false }, problem: null });
  });

  it('send a wrong password once', async () => {
    await view('demo', nameApps(5));
    const platform = createPlatform(() => Promise.reject(new NotSignedIn('Wrong password.')));
    const checker = platform.createChecker();
    await checker.competeForLease();
    await platform.arrived(1);
    await checker.stop();
    await checker.checkAll();
    expect(platform.calls).toHaveLength(1);
    expect((await pool.query('select from app_check_viewer')).rows).toEqual([]);
  });

  it.each([
    ['with status 500', new Unreachable('Status 500.'), 'Status 500.'],
    ['with status 400', new Invalid('No such setting: \0.'), 'No such setting: \uFFFD.'],
    ['because of a bug', new TypeError('x is undefined'), 'An internal error occurred.'],
  ])('continue with other apps when one fails %s, and keep its last result', async (_, error, problem) => {
    await view('demo', nameApps(3));
    const failing = { isOn: false };
    const platform = createPlatform(({ appId }) =>
      failing.isOn && appId === 'app-000' ? Promise.reject(error) : { disabled: true },
    );
    const checker = platform.createChecker();
    await checker.checkAll();
    failing.isOn = true;
    await checker.checkAll();
    expect(platform.calls.slice(3).map(({ appId }) => appId)).toEqual(nameApps(3));
    const result = { disabled: true, locked: false };
    expect(await readResults()).toEqual(
      new Map([
        ['app-000', { result, problem }],
        ['app-001', { result, problem: null }],
        ['app-002', { result, problem: null }],
      ]),
    );
  });

  it('forget a session that has expired, so that it does not stay first in line', async () => {
    await view('living', nameApps(1));
    const expired = await view('demo', ['gone']);
    await pool.query(`update session set last_seen_at = now() - interval '1 day' where id = $1`, [expired]);
    const platform = createPlatform();
    await platform.createChecker().checkAll();
    expect(platform.calls.map(({ appId }) => appId)).toEqual(nameApps(1));
    expect((await pool.query('select session_id from app_check_viewer')).rows).not.toContainEqual({
      session_id: expired,
    });
  });

  it('stop while the platform is silent, with the reason', async () => {
    await view('demo', nameApps(3));
    const platform = createPlatform();
    platform.state.silence = new Silent('The platform has not answered since 16:55.');
    const checker = platform.createChecker();
    await checker.checkAll();
    expect(platform.calls).toEqual([]);
    expect(await readChecks(pool, area, [])).toMatchObject([{ problem: platform.state.silence.message }]);
    platform.state.silence = undefined;
    await checker.checkAll();
    expect(platform.calls).toHaveLength(3);
    expect(await readChecks(pool, area, [])).toMatchObject([{ problem: null }]);
  });
});

describe('checks of several sources', () => {
  const createSource = (source: string, check: CheckSource['check']): CheckSource => ({
    environment,
    subject: 'functions',
    source,
    minAgeMs: 10_000,
    silence: undefined,
    listApps: async () => new Set([source]),
    check,
  });

  it('a data source is not read any more when the last session ends', async () => {
    const sessionId = await view('demo', ['a', 'b', 'c'], 'functions');
    const read: string[] = [];
    const source = createSource('data', async (app) => {
      read.push(app);
      await sessions.endById(sessionId);
      return { count: 0, newest: [] };
    });
    const sources = [{ ...source, listApps: async () => null }];
    await new AppChecker({ pool, logger, clock: createInstantClock(), sources }).checkAll();
    expect(read).toEqual(['a']);
  });

  it('118 of 400 apps have a failing function, and all are found within five minutes', async () => {
    const schemas = nameApps(400).map((name) => name.replace('-', '_'));
    const failing = schemas.slice(-118);
    await view('demo', schemas, 'functions');
    const clock = createInstantClock();
    const sources = [createRecordingDataSource(schemas, [], { failing, clock })];
    await new AppChecker({ pool, logger, clock, sources }).checkAll();
    expect(clock.now()).toBeLessThan(300_000);
    const [source] = await readChecks(pool, { environment, subject: 'functions' }, schemas);
    const found = source?.checks.filter(({ result }) => result?.count === 1).map(({ app }) => app);
    expect(found?.sort()).toEqual(failing);
  });

  it('a data source is read for the same app once a minute at most', async () => {
    await view('demo', ['a', 'b'], 'functions');
    const read: string[] = [];
    const sources = [createRecordingDataSource(['a', 'b'], read)];
    const checker = new AppChecker({ pool, logger, clock: createInstantClock(), sources });
    checkers.push(checker);
    await checker.checkAll();
    await age('a', 30);
    await age('b', 61);
    await checker.competeForLease();
    const isRecorded = async () =>
      (await pool.query(`select from app_check where app = 'b' and attempted_at > now() - interval '1 minute'`))
        .rowCount;
    await expect.poll(isRecorded).toBe(1);
    // If it were due, the other app would be read before this one again.
    await age('b', 61);
    await expect.poll(isRecorded).toBe(1);
    expect(read).toEqual(['a', 'b', 'b', 'b']);
  });

  it('a failure of the database is repeated after longer and longer pauses, until it is over', async () => {
    await view('demo', ['a'], 'functions');
    const fail = () => pool.query('alter table app_check_page rename to renamed');
    const recover = () => pool.query('alter table renamed rename to app_check_page');
    await fail();
    const pauses: number[] = [];
    await new Promise<void>((resolve, reject) => {
      const clock: Clock = {
        now: () => 0,
        async pause(ms, signal) {
          pauses.push(ms);
          if (pauses.length === 6) await recover();
          if (pauses.length === 7) await fail();
          if (pauses.length < 8) return;
          await recover();
          resolve();
          if (signal && !signal.aborted) await once(signal, 'abort');
        },
      };
      const checker = new AppChecker({
        pool,
        logger,
        clock,
        sources: [createSource('a', async () => ({ count: 0, newest: [] }))],
      });
      checkers.push(checker);
      checker.competeForLease().catch(reject);
    });
    expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 1_000, 5_000]);
  });

  it('more than ten that wait for their next turn cause no warning', async () => {
    const warnings: Error[] = [];
    const noteWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', noteWarning);
    onTestFinished(() => void process.off('warning', noteWarning));
    const names = Array.from({ length: 12 }, (_, at) => `data-${at}`);
    await new Promise<void>((resolve, reject) => {
      let waiting = 0;
      const clock: Clock = {
        now: () => 0,
        pause: (_, signal) =>
          new Promise((_, abort) => {
            signal?.addEventListener('abort', () => abort(signal.reason));
            waiting += 1;
            // The warning follows on the next tick.
            if (waiting === names.length) setImmediate(resolve);
          }),
      };
      const sources = names.map((name) => createSource(name, async () => undefined));
      const checker = new AppChecker({ pool, logger, clock, sources });
      checkers.push(checker);
      checker.competeForLease().catch(reject);
    });
    expect(warnings).toEqual([]);
  });

  it('a source that hangs does not delay the others', async () => {
    await view('demo', ['hanging', 'working'], 'functions');
    const hanging: CheckSource['check'] = async (_, signal) => {
      // The checker may have been stopped before it gets here.
      signal.throwIfAborted();
      await once(signal, 'abort');
      throw signal.reason;
    };
    await new Promise<void>((resolve, reject) => {
      const working = async () => {
        resolve();
        return { count: 0, newest: [] };
      };
      const sources = [createSource('hanging', hanging), createSource('working', working)];
      const checker = new AppChecker({ pool, logger, clock: createInstantClock(), sources });
      checkers.push(checker);
      checker.competeForLease().catch(reject);
    });
  });
});

describe('lease of the checks', () => {
  /** They never pause. */
  const active = { minAgeMs: 0 };

  it('lets one of two nodes work, and the other one take over when it expires', async () => {
    await view('demo', nameApps(1));
    const [a, b] = [createPlatform(), createPlatform()];
    const [first, second] = [a.createChecker(active), b.createChecker(active)];
    await first.competeForLease();
    await second.competeForLease();
    await a.arrived(3);
    expect(b.calls).toEqual([]);

    const { rows } = await pool.query<{ seconds: number }>(
      'select extract(epoch from expires_at - clock_timestamp())::float8 as seconds from background_lease',
    );
    expect(rows[0]?.seconds).toBeLessThanOrEqual(30);
    await pool.query('update background_lease set expires_at = clock_timestamp()');
    await second.competeForLease();
    await b.arrived(1);

    // The first node was only frozen.
    await first.competeForLease();
    const callsOfFirst = a.calls.length;
    await b.arrived(b.calls.length + 3);
    expect(a.calls).toHaveLength(callsOfFirst);
  });

  it('is released by a node that stops', async () => {
    await view('demo', nameApps(1));
    const [a, b] = [createPlatform(), createPlatform()];
    const first = a.createChecker(active);
    await first.competeForLease();
    await first.stop();
    await b.createChecker(active).competeForLease();
    await b.arrived(1);
  });
});

import { examineEnvironment } from '@portal/contract/doctor';
import { defaultDialect } from '@portal/platforms/helium/dialect/dialect.config';
import { otherDialect, startTranslator } from '@portal/platforms/helium/translator.fixture';
import { heliumPaths } from '@portal/platforms/helium/wire';
import { smallEnvironment } from '@portal/simulators/helium/small-environment';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem } from '../../testing/test-client.ts';
import { startTestServer, type TestServerOptions } from '../../testing/test-server.ts';

let world: SmallWorld;
beforeAll(async () => {
  world = await startSmallWorld();
});
afterAll(() => world.stop());

async function startServer(baseUrl: string, options: Partial<TestServerOptions> = {}) {
  const environment = { name: smallEnvironment.name, baseUrl, dataSources: [...world.helium.dataSources] };
  const server = await startTestServer({ environments: [environment], ...options });
  onTestFinished(() => server.stop());
  return server.signIn('demo', 'demo');
}

describe('doctor for administrators', () => {
  it('shows what each call and data source answers', async () => {
    const client = await startServer(world.baseUrl);
    const first = await client.call(examineEnvironment, {});
    expect(first).toMatchObject({ isGood: true, suggestion: '' });
    expect(first.examinations.map(({ title }) => title)).toEqual(
      expect.arrayContaining(['List of apps', 'App configuration', 'Scheduled functions', 'Schemas of the apps']),
    );
    expect(first.examinations.every(({ isGood }) => isGood)).toBe(true);
  });

  it('asks to confirm the write style of app configurations until it is set', async () => {
    const environments = [{ name: smallEnvironment.name, baseUrl: world.baseUrl, helium: {} }];
    const client = await startServer(world.baseUrl, { environments });
    const { examinations, isGood } = await client.call(examineEnvironment, {});
    const [found] = examinations.filter(({ title }) => title === 'Write style of app configurations');
    expect(found?.lines).toContain('          style: "merge"');
    expect([found?.isGood, isGood]).toEqual([false, false]);
  });

  it('reports a platform that cannot be reached instead of failing', async () => {
    const client = await startServer(world.baseUrl);
    world.network.decide(() => 'cut');
    onTestFinished(() => world.network.reset());
    const { examinations, isGood } = await client.call(examineEnvironment, {});
    expect(isGood).toBe(false);
    expect(examinations[0]).toMatchObject({ title: 'List of apps', isGood: false });
    expect(examinations).toContainEqual(expect.objectContaining({ title: 'Data source helium-app-1', isGood: true }));
  });

  it('refuses a second examination of the same user on every node until the first is complete', async () => {
    const environment = { name: smallEnvironment.name, baseUrl: world.baseUrl };
    const here = world.server;
    const there = await startTestServer({ environments: [environment], databaseUrl: here.databaseUrl });
    onTestFinished(() => there.stop());
    const client = await here.signIn('demo', 'demo');
    const clients = [client, await there.signIn('demo', 'demo')];
    const colleague = await there.signIn('health.dev', 'health');
    let release = () => {};
    onTestFinished(() => release());
    const isHeld = new Promise<void>((hold) => {
      world.network.decide(({ path }) => {
        // Every call of the portal reads the list of apps first, to check the session.
        if (path.startsWith(heliumPaths.apps)) return 'pass';
        world.network.reset();
        hold();
        return new Promise((resolve) => {
          release = () => resolve('pass');
        });
      });
    });
    const examination = client.attempt(examineEnvironment, {});
    await isHeld;
    for (const client of clients) {
      const second = await client.attempt(examineEnvironment, {});
      expect(second.status).toBe(409);
      expect(parseProblem(second).message).toBe(
        'Your examination of Production is still running. Try again when it is complete.',
      );
    }
    expect((await colleague.attempt(examineEnvironment, {})).status).toBe(200);
    release();
    expect((await examination).status).toBe(200);
    expect((await client.attempt(examineEnvironment, {})).status).toBe(200);
  });

  it('suggests settings for a platform that answers differently', async () => {
    // Without a list of apps, no one could sign in.
    const { appList } = defaultDialect;
    const translator = await startTranslator(world.baseUrl, { ...otherDialect, appList });
    onTestFinished(() => translator.stop());
    const client = await startServer(translator.baseUrl);
    const { suggestion, isGood } = await client.call(examineEnvironment, {});
    expect(suggestion).toContain('    helium:\n      appConfig:\n');
    expect(isGood).toBe(false);
  });

  it.each([
    ['hides', 'every user may ask, because no roles are configured', undefined],
    ['shows', 'only administrators may ask', [{ role: 'admin' as const, users: ['demo'] }]],
  ])('%s roles, statements, versions and missing protection where %s', async (what, _, roles) => {
    const { dataSource, url } = world.helium.app('Farm Inputs');
    const { username: role } = new URL(url);
    const environment = { name: smallEnvironment.name, baseUrl: world.baseUrl, dataSources: [{ ...dataSource, url }] };
    const client = await startServer(world.baseUrl, { environments: [environment], ...(roles && { roles }) });
    const { examinations } = await client.call(examineEnvironment, {});
    const text = examinations.flatMap(({ title, lines }) => [title, ...lines]).join('\n');
    const secrets = [role, 'GRANT ', 'PostgreSQL', 'encrypted', 'The role of databaseUrl owns the audit trail'];
    for (const each of secrets) expect(text.includes(each), each).toBe(what === 'shows');
    expect(examinations).toContainEqual(
      expect.objectContaining({ title: `Data source ${dataSource.heliumDataSourceName}`, isGood: false }),
    );
    expect(text.includes('Only administrators see the details.')).toBe(what === 'hides');
    expect(text).toContain('understood: 3 apps: Clinic Visits, Farm Inputs, Stock Room');
  });

  it('is for administrators', async () => {
    const client = await startServer(world.baseUrl, { roles: [{ role: 'maintainer', users: 'everyone' }] });
    expect(parseProblem(await client.attempt(examineEnvironment, {})).message).toMatch(
      /^You need the role admin to examine the platform and the data sources/,
    );
  });
});

import { maskedPassword } from '@portal/contract/sync/config';
import { getIntegration, revealPassword } from '@portal/contract/sync/integration';
import { beforeEach, describe, expect, it } from 'vitest';
import { bothReached } from '../scripted-engine.fixture.ts';
import { configFor, startServiceForFile, type TestApp, until } from '../service.fixture.ts';

const test = await startServiceForFile();
let app: TestApp;
let count = 0;

beforeEach(() => {
  count += 1;
  app = { id: `app-${count}`, name: `App ${count}`, schemaName: `schema_${count}` };
  test.engine.connectionTest = bothReached;
  test.engine.onDeleteState = () => Promise.resolve();
});

const get = async () => (await test.call(getIntegration, undefined, { appId: app.id })).body;
const status = async () => (await test.call(getIntegration, undefined, { appId: app.id })).status;
const reveal = async () => (await test.call(revealPassword, { appId: app.id })).body.password;

describe('creation of an integration', () => {
  it('saves a new integration completely and starts it', async () => {
    expect(await test.merge({ ...configFor(app), basedOn: null }, app)).toEqual({ value: 'Saved and enabled.' });
    await until(() => test.engine.running(app.id).length === 1);
    const [running] = test.engine.running(app.id);
    expect(running?.run.journeyPassword.reveal()).toBe('sesame');
    expect(running?.run.integration.config).not.toHaveProperty('journey.restAPICredentials.password');
  });

  it('rejects a second integration for the same app, even when both are saved concurrently', async () => {
    const config = { ...configFor(app), enabled: false, basedOn: null };
    const replies = await Promise.all(Array.from({ length: 8 }, () => test.merge(config, app)));
    const refused = { value: `There is already an integration for ${app.id}`, failed: true };
    expect(replies.filter(({ failed }) => !failed)).toEqual([{ value: 'Saved.' }]);
    expect(replies.filter(({ failed }) => failed)).toEqual(Array.from({ length: 7 }, () => refused));
    // Other errors concern the integration that exists.
    expect(await test.merge({ ...config, heliumToJourney: null }, app)).toEqual(refused);
  });

  it('rejects a new integration without credentials and saves nothing', async () => {
    const config = configFor(app);
    for (const password of [undefined, '', maskedPassword]) {
      const restAPICredentials = { userName: 'someone', ...(password !== undefined && { password }) };
      const replies = await test.merge({ ...config, journey: { ...config.journey, restAPICredentials } }, app);
      expect(replies).toMatchObject({
        failed: true,
        problems: [{ field: 'journey.restAPICredentials.password', reason: 'is missing' }],
      });
    }
    expect(await status()).toBe(404);
  });

  it('rejects an integration that cannot run, unless it is saved disabled', async () => {
    const password = 'journey.restAPICredentials.password';
    test.engine.connectionTest = {
      ...bothReached,
      journey: { reached: false, message: 'Journey refuses these credentials.', field: password },
      problems: [{ field: 'heliumToJourney.changeLogSkipTables.0', reason: 'there is no table nowhere' }],
    };
    expect(await test.merge(configFor(app), app)).toMatchObject({
      failed: true,
      problems: [
        { field: password, reason: 'Journey refuses these credentials.' },
        { field: 'heliumToJourney.changeLogSkipTables.0', reason: 'there is no table nowhere' },
      ],
    });
    expect(await status()).toBe(404);
    expect(await test.merge({ ...configFor(app), enabled: false }, app)).toEqual({ value: 'Saved.' });
    expect((await get()).status).toBe('Disabled');
  });

  it('saves an integration with fields that cannot be synced, and names them in the reply', async () => {
    const note = (severity: 'warning' | 'left-out', field: string) => ({
      severity,
      object: 'farm',
      field,
      reason: "Helium's json cannot be synced.",
    });
    test.engine.connectionTest = { ...bothReached, notes: [note('left-out', 'note'), note('warning', 'size')] };
    expect(await test.merge(configFor(app), app)).toEqual({
      value: "Saved and enabled. Warning: farm.size: Helium's json cannot be synced.",
    });
    const fields = ['a', 'b', 'c', 'd', 'e'].map((field) => note('warning', field));
    test.engine.connectionTest = { ...bothReached, notes: fields };
    expect((await test.merge(configFor(app), app)).value).toMatch(/^Saved\. 5 warnings: farm\.a: .* And 2 more\.$/);
  });

  it('rejects a frame whose app differs from its configuration', async () => {
    const other = { id: 'other', name: 'Other', schemaName: 'other' };
    const replies = await test.merge(configFor(other), app);
    expect(replies.problems?.map(({ field }) => field)).toEqual(['helium.appId', 'helium.dbSchema']);
    const { frames, closed } = test.socket({ type: 'MERGE', appId: app.id, config: configFor(app) });
    expect(await closed).toMatchObject({ code: 1000 });
    expect(frames).toMatchObject([{ failed: true, value: expect.stringMatching(/ app: .* dataSource: /) }]);
  });
});

describe('update of an integration', () => {
  beforeEach(async () => {
    await test.merge(configFor(app), app);
    await until(() => test.engine.running(app.id).length === 1);
  });

  it('keeps the password when the mask or nothing is sent, accepts a new one, and restarts with the saved configuration', async () => {
    const { config } = await get();
    const [before] = test.engine.running(app.id);
    expect(await test.merge({ ...config, enableJourneyToHelium: false }, app)).toEqual({ value: 'Saved.' });
    expect(await reveal()).toBe('sesame');
    await until(() => test.engine.running(app.id).some(({ run }) => !run.integration.config.enableJourneyToHelium));
    expect(before?.isOver).toBe(true);
    expect(test.engine.running(app.id)).toHaveLength(1);

    const { config: again } = await get();
    const restAPICredentials = { userName: 'someone', password: 'open' };
    await test.merge({ ...again, journey: { ...again.journey, restAPICredentials } }, app);
    expect(await reveal()).toBe('open');
    await until(() => test.engine.running(app.id)[0]?.run.journeyPassword.reveal() === 'open');
  });

  it('requires the password again when the address moves to another host', async () => {
    const { config } = await get();
    const elsewhere = { ...config.journey, baseUrl: 'https://run-us.example.com/api/v4/1' };
    const replies = await test.merge({ ...config, journey: elsewhere }, app);
    expect(replies.problems).toEqual([
      {
        field: 'journey.restAPICredentials.password',
        reason: 'is required again because the address is on another host',
      },
    ]);
    const sibling = { ...config.journey, baseUrl: 'https://run-testing-us.example.com/api/v4/2' };
    expect(await test.merge({ ...config, journey: sibling }, app)).toEqual({ value: 'Saved.' });
    expect(await reveal()).toBe('sesame');
  });

  it('rejects a save over another user’s and names that user', async () => {
    const { config } = await get();
    const saves = await Promise.all(
      ['sipho', 'lerato'].map((user) =>
        test.merge({ ...config, enableJourneyToHelium: user === 'sipho' }, app, { user }),
      ),
    );
    expect(saves.filter(({ failed }) => failed)).toHaveLength(1);
    const integration = await get();
    const refused = saves.find(({ failed }) => failed);
    expect(refused?.value).toMatch(
      new RegExp(`^${integration.changedBy} changed this integration in the meantime, on 20\\d\\d-[0-9 :-]+ UTC\\. `),
    );
    // A script that does not send `basedOn` overwrites whatever is there.
    const { basedOn: _, ...whole } = config;
    expect(await test.merge(whole, app)).toEqual({ value: 'Saved.' });
  });

  it('rejects a change of the minimum versions', async () => {
    const { config } = await get();
    const heliumToJourney = { ...config.heliumToJourney, changeLogMinVersionAsString: '5' };
    expect(await test.merge({ ...config, heliumToJourney }, app)).toMatchObject({
      failed: true,
      problems: [{ field: 'heliumToJourney.changeLogMinVersionAsString' }],
    });
    const same = { ...config.heliumToJourney, changeLogMinVersionAsString: '000' };
    expect(await test.merge({ ...config, heliumToJourney: same }, app)).toEqual({ value: 'Saved.' });
  });

  it('resumes a halted integration when it is saved enabled', async () => {
    test.engine
      .running(app.id)[0]
      ?.end({ outcome: 'halted', reason: 'Journey refuses the password', position: 'op-log 12' });
    await until(async () => (await get()).status === 'Halted');
    const { config, ...integration } = await get();
    expect(integration.haltReason).toBe('Journey refuses the password (at op-log 12)');
    expect(await test.merge(config, app)).toEqual({ value: 'Saved; it resumes where it stopped.' });
    await until(() => test.engine.running(app.id).length === 1);
    expect(await get()).toMatchObject({ status: 'Enabled', haltReason: null, haltedSince: null });
  });

  it('deletes an integration with all its stored data', async () => {
    expect(await test.destroy('unknown')).toMatchObject({
      failed: true,
      value: 'There is no integration for unknown.',
    });
    expect(await test.destroy(app.id, { environment: 'Staging' })).toMatchObject({ failed: true });
    expect(await test.destroy(app.id)).toEqual({ value: 'Deleted.' });
    await until(() => test.engine.running(app.id).length === 0);
    expect(await status()).toBe(404);
    const { rows } = await test.parts.pool.query(
      `select (select count(*) from sync.log l left join sync.integration i on i.id = l.integration_id where i.id is null)::int as lines`,
    );
    expect(rows).toEqual([{ lines: 0 }]);
    expect(test.engine.calls.some(({ name, args }) => name === 'deleteState' && typeof args[1] === 'string')).toBe(
      true,
    );
    expect(await test.merge({ ...configFor(app), basedOn: null }, app)).toEqual({ value: 'Saved and enabled.' });
  });

  it('deletes an integration even when its Helium database no longer exists', async () => {
    test.engine.onDeleteState = () => Promise.reject(new Error('no such host'));
    expect((await test.destroy(app.id)).value).toMatch(/^Deleted\. Its state in the Helium database could not/);
    expect(await status()).toBe(404);
  });
});

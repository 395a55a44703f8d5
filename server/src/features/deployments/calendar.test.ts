import * as contract from '@portal/contract/deployments';
import { deleteSession } from '@portal/contract/session';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseProblem } from '../../testing/test-client.ts';
import { type DeploymentsWorld, startDeploymentsWorld } from './deployments.fixture.ts';

let world: DeploymentsWorld;
let client: DeploymentsWorld['client'];
let request: DeploymentsWorld['request'];
let save: DeploymentsWorld['save'];
let resolve: DeploymentsWorld['resolve'];

beforeAll(async () => {
  world = await startDeploymentsWorld({ publicUrl: 'https://portal.example.com' });
  ({ client, request, save, resolve } = world);
});
afterAll(() => world.stop());

describe('calendar feed', () => {
  const feed = () => client.call(contract.getCalendarFeed, undefined);

  it('serves the feed without a session to anyone with its address, until it is revoked', async () => {
    expect(await feed()).toEqual({ createdAt: null, lastReadAt: null });
    const odd = { ...request, releaseName: 'A;b,c\\d', instructions: 'One\nEND:VCALENDAR\nTwo' };
    const { id, deploymentDate } = await save('null', odd);
    const { path } = await client.call(contract.createCalendarFeed, undefined);
    const signedOut = world.server.client();
    const first = await signedOut.send('GET', path);
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const event = await eventOf(first.text, id);
    expect(event.component.getFirstPropertyValue('url')).toBe(`https://portal.example.com/#/deployments/${id}`);
    expect(event.startDate.toJSDate().toISOString()).toBe(deploymentDate);
    expect(event.startDate.zone.tzid).toBe('UTC');
    expect(event.summary).toBe('A;b,c\\d (Health Team)');
    expect(event.description).toContain('One\nEND:VCALENDAR\nTwo');
    expect(event.sequence).toBe(1);
    expect((await feed()).lastReadAt).not.toBeNull();

    await resolve(id, { outcome: 'calledOff', note: 'Not tested' });
    const after = await eventOf((await signedOut.send('GET', path)).text, id);
    expect(after.component.getFirstPropertyValue('status')).toBe('CANCELLED');
    expect(after.description).toContain('Outcome: Called off\nNote: Not tested\nResolved by: demo\n');
    expect(after.sequence).toBe(2);

    const { path: newer } = await client.call(contract.createCalendarFeed, undefined);
    expect((await signedOut.send('GET', path)).status).toBe(404);
    expect((await signedOut.send('GET', newer)).status).toBe(200);
    await client.call(contract.revokeCalendarFeed, undefined);
    expect((await signedOut.send('GET', newer)).status).toBe(404);
    expect(await feed()).toEqual({ createdAt: null, lastReadAt: null });
    const secret = newer.split('/').at(-1)?.replace('.ics', '') ?? 'none';
    // 256 bits.
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(world.server.logged()).not.toContain(secret);
    const { rows } = await world.server.dependencies.pool.query('SELECT * FROM audit_entry');
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('serves the feed after sign-out, pauses it 12 hours after the last check of its owner, and continues', async () => {
    const { pool } = world.server.dependencies;
    const owner = await world.server.signIn('demo', 'demo');
    const { path } = await owner.call(contract.createCalendarFeed, undefined);
    await owner.call(deleteSession, undefined);
    const read = () => world.server.client().send('GET', path);
    const passHours = (hours: number) =>
      pool.query('update calendar_feeds set owner_checked_at = now() - make_interval(hours => $1)', [hours]);
    await passHours(11);
    expect((await read()).status).toBe(200);
    await passHours(12);
    const paused = await read();
    expect(paused.status).toBe(403);
    expect(parseProblem(paused).message).toContain('its owner has not used the portal for 12 hours');

    await client.call(contract.getCalendarFeed, undefined);
    await expect.poll(async () => (await read()).status).toBe(200);
    await passHours(12);
    await world.server.signIn('demo', 'demo');
    await expect.poll(async () => (await read()).status).toBe(200);
    await client.call(contract.revokeCalendarFeed, undefined);
  });

  it('writes the calendar once for all readers, until a schedule is saved or resolved', async () => {
    let reads = 0;
    world.server.dependencies.pools.heavy.on('acquire', () => {
      reads += 1;
    });
    const { id } = await save('null', { ...request, releaseName: 'Kept' });
    const { path } = await client.call(contract.createCalendarFeed, undefined);
    const read = (headers = {}) => world.server.client().send('GET', path, undefined, headers);
    const etagOf = async () => (await read()).headers.get('etag') ?? '';

    const [first, ...others] = await Promise.all([read(), read(), read(), read()]);
    expect((await eventOf(first.text, id)).summary).toContain('Kept');
    for (const other of others) expect(other.text).toBe(first.text);
    expect(reads).toBe(1);

    const etag = await etagOf();
    expect(reads).toBe(1);
    for (const header of [etag, `W/${etag}`, `"old", ${etag}`, '*']) {
      const unchanged = await read({ 'if-none-match': header });
      expect(unchanged).toMatchObject({ status: 304, text: '' });
      expect(unchanged.headers.get('etag')).toBe(etag);
    }
    expect((await read({ 'if-none-match': '"old"' })).text).toBe(first.text);
    expect(reads).toBe(1);

    await save(id, { ...request, releaseName: 'Renamed' });
    const renamed = await read({ 'if-none-match': etag });
    expect((await eventOf(renamed.text, id)).summary).toContain('Renamed');
    await resolve(id, { outcome: 'deployed' });
    const resolved = await read({ 'if-none-match': renamed.headers.get('etag') ?? '' });
    expect((await eventOf(resolved.text, id)).component.getFirstPropertyValue('status')).toBe('CONFIRMED');
    expect(reads).toBe(3);
    await client.call(contract.revokeCalendarFeed, undefined);
    expect((await read({ 'if-none-match': resolved.headers.get('etag') ?? '' })).status).toBe(404);
  });

  it('contains the 2,000 events closest to today, from 90 days ago on, within three years', async () => {
    const { id } = await save('null', request);
    const content = `team, jira_project, app_ids, app_names, app_schemas, release_group, release_tag,
      release_description, instructions, data_source, schedule_status, portal_user, revision, updated_at`;
    const copy = (copies: string) =>
      world.server.dependencies.pool.query(
        `insert into deployment_schedules (environment, deployment_date, release_name, ${content})
         select environment, current_date + days * interval '1 day', name, ${content}
         from deployment_schedules, (${copies}) copies (days, name) where id = $1`,
        [id],
      );
    await copy(`values (-92, 'too old'), (-88, 'old'), (990, 'far'), (1100, 'too far')`);
    const { path } = await client.call(contract.createCalendarFeed, undefined);
    const read = async () => summariesOf((await world.server.client().send('GET', path)).text);
    const few = await read();
    expect(few.filter((name) => /old|far/.test(name))).toEqual(['old (Health Team)', 'far (Health Team)']);

    await copy(`select hour / 24.0, 'hour ' || hour from generate_series(-1200, 1200) hour`);
    const many = await read();
    expect(many).toHaveLength(2_000);
    expect(many.filter((name) => /old|far|hour -?1[12]\d\d/.test(name))).toEqual([]);
    expect(many).toContain('hour -900 (Health Team)');
    expect(many).toContain('hour 900 (Health Team)');
  });

  function summariesOf(text: string): string[] {
    const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
    return events.map((component) => new ICAL.Event(component).summary);
  }

  async function eventOf(text: string, id: string): Promise<ICAL.Event> {
    const { rows } = await world.server.dependencies.pool.query<{ uid: string }>(
      'select calendar_uid as uid from deployment_schedules where id = $1',
      [id],
    );
    const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
    const found = events.map((component) => new ICAL.Event(component)).find(({ uid }) => uid === rows[0]?.uid);
    if (!found) throw new Error(`no event of schedule ${id} in ${text}`);
    return found;
  }
});

import * as contract from '@portal/contract/deployments';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DeploymentsWorld, startDeploymentsWorld } from './deployments.fixture.ts';

let world: DeploymentsWorld;
let client: DeploymentsWorld['client'];
let request: DeploymentsWorld['request'];
let save: DeploymentsWorld['save'];
let resolve: DeploymentsWorld['resolve'];

beforeAll(async () => {
  world = await startDeploymentsWorld();
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
    expect(first.headers.get('cache-control')).toBe('no-store');
    const event = eventOf(first.text, id);
    expect(event.startDate.toJSDate().toISOString()).toBe(deploymentDate);
    expect(event.startDate.zone.tzid).toBe('UTC');
    expect(event.summary).toBe('A;b,c\\d (Health Team)');
    expect(event.description).toContain('One\nEND:VCALENDAR\nTwo');
    expect(event.sequence).toBe(1);
    expect((await feed()).lastReadAt).not.toBeNull();

    await resolve(id);
    const after = eventOf((await signedOut.send('GET', path)).text, id);
    expect(after.component.getFirstPropertyValue('status')).toBe('CANCELLED');
    expect(after.sequence).toBe(2);

    const { path: newer } = await client.call(contract.createCalendarFeed, undefined);
    expect((await signedOut.send('GET', path)).status).toBe(404);
    expect((await signedOut.send('GET', newer)).status).toBe(200);
    await client.call(contract.revokeCalendarFeed, undefined);
    expect((await signedOut.send('GET', newer)).status).toBe(404);
    expect(await feed()).toEqual({ createdAt: null, lastReadAt: null });
    const secret = newer.split('/').at(-1)?.replace('.ics', '') ?? 'none';
    expect(world.server.logged()).not.toContain(secret);
    const { rows } = await world.server.dependencies.pool.query('SELECT * FROM audit_entry');
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  function eventOf(text: string, id: string): ICAL.Event {
    const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
    const found = events
      .map((component) => new ICAL.Event(component))
      .find(({ uid }) => uid.startsWith(`deployment-${id}@`));
    if (!found) throw new Error(`no event of schedule ${id} in ${text}`);
    return found;
  }
});

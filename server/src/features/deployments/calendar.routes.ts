import { canReachDeployments } from '@portal/contract/environments';
import { NotFound, TooMany } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { readFeedOwner } from './calendar-feeds.store.ts';
import { feedFolder, hashOf } from './calendar-feeds.ts';
import { listSince } from './schedules.store.ts';
import { writeCalendar } from './write-calendar.ts';

const daysBack = 90;
const minuteMs = 60_000;
/** Of one address in a minute: calendars ask every few minutes, at most. */
const mostReads = 120;

/**
 * Calendar feeds, for calendars: who knows the secret of the address may read, without a session.
 * Revoked, unknown and no longer allowed are told in the same words.
 */
export function calendarRoutes(app: FastifyInstance, { pool, environments, permissions }: Dependencies): void {
  const limit = new ReadLimit();

  app.get<{ Params: { file: string } }>(`${feedFolder}:file`, async ({ params: { file }, ip }, reply) => {
    limit.count(ip);
    const [, secret] = /^([\w-]{43})\.ics$/.exec(file) ?? [];
    const owner = secret === undefined ? undefined : await readFeedOwner(pool, hashOf(secret));
    const environment = owner && environments.find(owner.environment);
    const mayRead =
      owner &&
      environment &&
      canReachDeployments(environment.name) &&
      permissions.refusalsOf({ username: owner.username, environment })['deployments.view'] === undefined;
    if (!mayRead) throw new NotFound('There is no calendar feed at this address.');
    const since = new Date(Date.now() - daysBack * 24 * 60 * minuteMs);
    const schedules = await listSince(pool, environment.name, since);
    const { host } = new URL(environment.baseUrl);
    return reply
      .type('text/calendar; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(writeCalendar(schedules, { environment: environment.name, host }));
  });
}

/**
 * Counts in memory, minute by minute: a secret cannot be guessed, so this only spares the database.
 */
class ReadLimit {
  readonly #reads = new Map<string, number>();
  #minute = 0;

  /** Throws TooMany. */
  count(address: string): void {
    const minute = Math.floor(Date.now() / minuteMs);
    if (minute !== this.#minute) this.#reads.clear();
    this.#minute = minute;
    const reads = (this.#reads.get(address) ?? 0) + 1;
    this.#reads.set(address, reads);
    if (reads > mostReads) throw new TooMany('This feed is read too often. Try again in a minute.', 60);
  }
}

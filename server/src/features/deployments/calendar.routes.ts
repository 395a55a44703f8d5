import { canReachDeployments } from '@portal/contract/environments';
import { NotFound, TooMany } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { readFeedOwner } from './calendar-feeds.store.ts';
import { feedPathPrefix, hashSecret } from './calendar-feeds.ts';
import { listSince } from './schedules.store.ts';
import { writeCalendar } from './write-calendar.ts';

const daysBack = 90;
const minuteMs = 60_000;
/** Reads per address and minute; calendars poll every few minutes. */
const maxReadsPerMinute = 120;

/**
 * Serves calendar feeds to anyone who knows the secret address, without a session. The error is the
 * same for revoked, unknown and no longer permitted feeds.
 */
export function calendarRoutes(
  app: FastifyInstance,
  { pool, heavyWork, environments, permissions }: Dependencies,
): void {
  const limit = new ReadLimit();

  app.get<{ Params: { file: string } }>(`${feedPathPrefix}:file`, async ({ params: { file }, ip }, reply) => {
    limit.count(ip);
    const [, secret] = /^([\w-]{43})\.ics$/.exec(file) ?? [];
    const owner = secret === undefined ? undefined : await readFeedOwner(pool, hashSecret(secret));
    const environment = owner && environments.find(owner.environment);
    const mayRead =
      owner &&
      environment &&
      canReachDeployments(environment.name) &&
      permissions.getRefusals({ username: owner.username, environment })['deployments.view'] === undefined;
    if (!mayRead) throw new NotFound('There is no calendar feed at this address. Create a new one in the portal.');
    const since = new Date(Date.now() - daysBack * 24 * 60 * minuteMs);
    const schedules = await heavyWork.run({ username: owner.username, environment }, (pool) =>
      listSince(pool, environment.name, since),
    );
    const { host } = new URL(environment.baseUrl);
    return reply
      .type('text/calendar; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(writeCalendar(schedules, { environment: environment.name, host }));
  });
}

/**
 * Counts reads per minute in memory. The limit only protects the database, because secrets cannot
 * be guessed.
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
    if (reads > maxReadsPerMinute) throw new TooMany('This feed is read too often. Try again in a minute.', 60);
  }
}

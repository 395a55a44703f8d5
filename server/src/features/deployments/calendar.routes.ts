import { canReachDeployments } from '@portal/contract/environments';
import { readCalendarFeed } from '@portal/contract/operations';
import { NotFound, Refused, TooMany } from '@portal/kit/problems';
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { confirmFeedOwner, readFeedOwner, removeFeed } from './calendar-feeds.store.ts';
import { hashSecret } from './calendar-feeds.ts';
import { WrittenCalendars } from './written-calendars.ts';

const minuteMs = 60_000;
/** Reads per address and minute; calendars poll every few minutes. */
const maxReadsPerMinute = 120;

/**
 * Serves calendar feeds to anyone who knows the secret address, without a session. The error is the
 * same for revoked, unknown and no longer permitted feeds. A feed outlives its owner's sessions,
 * but not the right they came from: it pauses once the platform has not accepted the owner for 12
 * hours, and is removed when the platform rejects the owner, who has not signed in with a new
 * password.
 */
export function calendarRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  const { pool, environments, permissions, rights } = dependencies;
  rights.listen({
    confirmed: (owner) => confirmFeedOwner(pool, owner),
    async lost(owner) {
      await removeFeed(pool, owner);
    },
  });
  const calendars = new WrittenCalendars(dependencies);
  const limit = new ReadLimit();

  app.get<{ Params: { file: string } }>(readCalendarFeed.path, async (request, reply) => {
    const { file } = request.params;
    limit.count(request.ip);
    const [, secret] = /^([\w-]{43})\.ics$/.exec(file) ?? [];
    const owner = secret === undefined ? undefined : await readFeedOwner(pool, hashSecret(secret));
    const environment = owner && environments.find(owner.environment);
    const mayRead =
      owner &&
      environment &&
      canReachDeployments(environment.name) &&
      permissions.getRefusals({ username: owner.username, environment })['deployments.view'] === undefined;
    if (!mayRead) throw new NotFound('There is no calendar feed at this address. Create a new one in the portal.');
    if (!owner.isConfirmed)
      throw new Refused(
        'This calendar feed is paused, because its owner has not used the portal for 12 hours. ' +
          'It continues when its owner uses the portal again.',
      );
    const { body, etag } = await calendars.read({ username: owner.username, environment });
    // Clients may keep the calendar but must check it every time, because a feed can be revoked.
    reply.header('cache-control', 'private, no-cache').header('etag', etag);
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type('text/calendar; charset=utf-8').send(body);
  });
}

/** Checks an If-None-Match header. Proxies that compress a response mark its ETag as weak. */
function matches(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
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

/**
 * Where rosters come from, on this machine: iCalendar feeds at `/calendars/<name>.ics`, and PagerDuty's API below
 * `/pagerduty`. It knows of no portal. `faults` breaks its answers as it does those of the Helium platform.
 */
import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createFaults, type Faults } from '../helium/simulator/faults.ts';
import { createHttpServer } from '../helium/simulator/http-server.ts';
import { pathOf } from '../simulator-calls.ts';
import { registerPagerDutyRoutes, type SimulatedSchedule } from './simulator/pager-duty-routes.ts';

export interface RosterSimulatorOptions {
  readonly port?: number;
  /** By name; written anew for each call, so that a feed of functions moves with time. */
  readonly feeds: Readonly<Record<string, () => string>>;
  readonly schedule: SimulatedSchedule;
}

export interface RosterSimulator {
  readonly pagerDutyUrl: string;
  feedUrl(name: string): string;
  readonly faults: Faults;
  /** Puts another text at the place of a feed. */
  replaceFeed(name: string, text: string): void;
  /** The paths that were asked for, in order, each with the status of its answer. */
  asked(): readonly string[];
  stop(): Promise<void>;
}

/** Throws when the port is taken. */
export async function startRosterSimulator(options: RosterSimulatorOptions): Promise<RosterSimulator> {
  const feeds = new Map(Object.entries(options.feeds).map(([name, write]) => [`/calendars/${name}.ics`, write]));
  const asked: string[] = [];
  const faults = createFaults();
  const server = createHttpServer(faults);
  server.addHook('onResponse', async (request, reply) => void asked.push(`${pathOf(request)} ${reply.statusCode}`));
  server.get('/calendars/*', (request, reply) => {
    const text = feeds.get(pathOf(request))?.();
    if (text === undefined) return reply.callNotFound();
    const etag = `"${createHash('sha256').update(text).digest('hex')}"`;
    reply.header('etag', etag);
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('text/calendar; charset=utf-8').send(text);
  });
  registerPagerDutyRoutes(server, options.schedule);
  await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });

  const { port } = server.server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  return {
    pagerDutyUrl: `${base}/pagerduty`,
    feedUrl: (name) => `${base}/calendars/${name}.ics`,
    faults,
    replaceFeed: (name, text) => void feeds.set(`/calendars/${name}.ics`, () => text),
    asked: () => asked,
    async stop() {
      faults.clear();
      await server.close();
    },
  };
}

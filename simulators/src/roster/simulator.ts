/**
 * Simulates roster sources: iCalendar feeds at `/calendars/<name>.ics` and PagerDuty's API below
 * `/pagerduty`. It does not depend on the portal. `faults` breaks responses as in all simulators,
 * and as only PagerDuty does.
 */
import { createHash } from 'node:crypto';
import { type Faults, faultModes } from '../kit/faults.ts';
import { createHttpServer, getPath, listen } from '../kit/http-server.ts';
import { plainTextErrors } from '../kit/plain-text-errors.ts';
import { pagerDutyFaults, registerPagerDutyRoutes, type SimulatedPagerDuty } from './pager-duty-routes.ts';

interface RosterSimulatorOptions {
  readonly port?: number;
  /** Feeds by name. A function is called per request, so its feed moves with time. */
  readonly feeds: Readonly<Record<string, () => string>>;
  readonly pagerDuty: SimulatedPagerDuty;
}

const modes = [...faultModes, ...pagerDutyFaults];
type RosterFault = (typeof modes)[number];

export interface RosterSimulator {
  readonly pagerDutyUrl: string;
  feedUrl(name: string): string;
  readonly faults: Faults<RosterFault>;
  /** Replaces the text of a feed. */
  replaceFeed(name: string, text: string): void;
  /** The requested paths with the status of each response, in order. */
  requests(): readonly string[];
  stop(): Promise<void>;
}

/** Throws when the port is in use. */
export async function startRosterSimulator(options: RosterSimulatorOptions): Promise<RosterSimulator> {
  const feeds = new Map(Object.entries(options.feeds).map(([name, write]) => [`/calendars/${name}.ics`, write]));
  const requests: string[] = [];
  const { server, faults, getFault } = createHttpServer({ modes, errors: plainTextErrors });
  server.addHook('onResponse', async (request, reply) => void requests.push(`${getPath(request)} ${reply.statusCode}`));
  server.get('/calendars/*', (request, reply) => {
    const text = feeds.get(getPath(request))?.();
    if (text === undefined) return reply.callNotFound();
    const etag = `"${createHash('sha256').update(text).digest('hex')}"`;
    reply.header('etag', etag);
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('text/calendar; charset=utf-8').send(text);
  });
  registerPagerDutyRoutes(server, options.pagerDuty, getFault);

  const { baseUrl } = await listen(server, options.port);
  return {
    pagerDutyUrl: `${baseUrl}/pagerduty`,
    feedUrl: (name) => `${baseUrl}/calendars/${name}.ics`,
    faults,
    replaceFeed: (name, text) => void feeds.set(`/calendars/${name}.ics`, () => text),
    requests: () => requests,
    async stop() {
      faults.clear();
      await server.close();
    },
  };
}

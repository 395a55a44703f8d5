/**
 * Opens a Journey gateway for tests, over the platform's simulator or a scripted server; its waits
 * take no time.
 */
import { Secret } from '@portal/kit/secret';
import { sendRequest } from '@portal/platforms/journey/call';
import { createJourneyClient } from '@portal/platforms/journey/client';
import { createJourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { table } from '../mapping/catalogs.fixture.ts';
import type { JourneyCatalog } from '../mapping/journey-catalog.ts';
import type { Mapping } from '../mapping/object-map.ts';
import { pairModels } from '../mapping/pair-models.ts';
import type { KnownAttachments } from './known-attachments.ts';
import { openJourneyGateway } from './open-journey-gateway.ts';

/**
 * Maps the regions and farmers of the simulator's small deployment to an app's tables; users are
 * not included.
 */
export function mapSmallDeployment(models: JourneyCatalog): Mapping {
  return pairModels({
    catalog: {
      schema: 'farmers_001',
      tables: [
        table('region', { name: 'text' }),
        table('farmer', {
          name: 'text',
          age: 'integer',
          hectares: 'double precision',
          active: 'boolean',
          born_on: 'date',
          seen_at: 'timestamp without time zone',
          grade: 'text',
          portrait: 'bytea',
          region_fk: '→ region',
        }),
      ],
    },
    models,
    skipTables: [],
    skipObjectTypes: [],
    enableHeliumToJourney: true,
    enableJourneyToHelium: true,
  });
}

/** Returns every column of a farmer, null unless given. */
export function farmerFields(given: Readonly<Record<string, string | number | boolean | null>>) {
  const nothing = {
    active: null,
    age: null,
    born_on: null,
    grade: null,
    hectares: null,
    name: null,
    portrait: null,
    region_fk: null,
    seen_at: null,
  };
  return { ...nothing, ...given };
}

export interface Deployment {
  readonly url: string;
  readonly userName: string;
  readonly password: string;
}

export function openTestGateway(
  { url, userName, password }: Deployment,
  options: { readonly maxResponseBytes?: number; readonly timeoutMs?: number } = {},
) {
  /** The requested paths, with the time of each on the pace's clock, and the response status. */
  const requests: { readonly path: string; readonly atMs: number; status?: number }[] = [];
  const known = new Map<string, string>();
  let nowMs = 0;
  const clock = {
    nowMs: () => nowMs,
    waitUntil: async (atMs: number) => {
      nowMs = Math.max(nowMs, atMs);
    },
  };
  const knownAttachments: KnownAttachments = {
    get: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const value = known.get(id);
          return value === undefined ? [] : [[id, value] as const];
        }),
      ),
  };
  const client = createJourneyClient({
    baseUrl: url,
    userName,
    password: new Secret(password),
    ...options,
    request: async (url, options) => {
      const path = new URL(String(url)).pathname.replace(/^\/api\/v4\/[^/]+\//, '');
      const call: (typeof requests)[number] = { path, atMs: nowMs };
      requests.push(call);
      const response = await sendRequest(url, options);
      call.status = response.statusCode;
      return response;
    },
  });
  const rate = { perSecond: 1e6, burst: 1e6 };
  const rateLimiter = createJourneyRateLimiter({ clock, rate, hostRate: rate });
  return { client, gateway: openJourneyGateway({ client, rateLimiter, knownAttachments }), requests, known };
}

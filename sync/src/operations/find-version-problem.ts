import type { Pool } from '@portal/kit/postgres/pool';
import { createJourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { openHeliumGateway } from '../helium/open-helium-gateway.ts';
import type { OperatorActions } from '../integration/operator-actions.ts';
import { openJourneyGateway } from '../journey/open-journey-gateway.ts';

type Request = Parameters<OperatorActions['findVersionProblem']>;

/** See `OperatorActions`. */
export async function findVersionProblem(
  { pool, rateLimiter }: { readonly pool: Pool; readonly rateLimiter: JourneyRateLimiter },
  ...[{ config }, { direction, version, journeyPassword }, signal]: Request
): Promise<string | null> {
  if (direction === 'helium-to-journey') {
    const helium = openHeliumGateway({ pool, schema: config.helium.dbSchema });
    return (await helium.findVersionProblem(version))?.reason ?? null;
  }
  const { baseUrl, restAPICredentials } = config.journey;
  const client = createJourneyClient({ baseUrl, userName: restAPICredentials.userName, password: journeyPassword });
  const knownAttachments = { get: async () => new Map<string, string>() };
  try {
    return await openJourneyGateway({ client, rateLimiter, knownAttachments }).findVersionProblem(version, signal);
  } catch (error) {
    if (error instanceof JourneyProblem) return null;
    throw error;
  }
}

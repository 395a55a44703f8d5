/** Reads how much waits in the logs of integrations that do not run. */
import { createJourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { type BacklogDatabase, maxBacklogEntries, readBacklogs } from '../helium/read-backlogs.ts';
import type { StoredIntegration } from '../integration/integration.ts';
import type { OpLogBacklog, StoppedIntegration } from '../integration/operator-actions.ts';
import { openJourneyGateway } from '../journey/open-journey-gateway.ts';

/** No one waits for it. */
const timeoutMs = 5_000;

/** Returns one backlog per integration; all of them use this data source. */
export function readChangeLogBacklogs(database: BacklogDatabase, integrations: readonly StoredIntegration[]) {
  return readBacklogs(
    database,
    integrations.map(({ config, figures }) => ({ schema: config.helium.dbSchema, version: figures.changeLogVersion })),
  );
}

/** Reads the newest entry, in one call. The numbers of the entries count those in between. */
export async function readOpLogBacklog(
  rateLimiter: JourneyRateLimiter,
  { integration: { config, figures }, journeyPassword }: StoppedIntegration,
  signal: AbortSignal,
): Promise<OpLogBacklog> {
  const { baseUrl, restAPICredentials } = config.journey;
  const client = createJourneyClient({
    baseUrl,
    userName: restAPICredentials.userName,
    password: journeyPassword,
    timeoutMs,
  });
  const knownAttachments = { get: async () => new Map<string, string>() };
  try {
    const { point } = await openJourneyGateway({ client, rateLimiter, knownAttachments }).readTail(signal);
    const entries = point === null ? 0n : BigInt(point.sequence) - BigInt(figures.oplogVersion);
    return { entries: Math.min(maxBacklogEntries, Math.max(0, Number(entries))) };
  } catch (error) {
    if (!(error instanceof JourneyProblem)) throw error;
    return error.failure.kind === 'credentials-rejected' ? 'credentials-rejected' : 'unknown';
  }
}

/**
 * Makes the calls to Journey that an integration will need, so that one which is refused is known
 * before the first of its changes fails. Nothing is changed.
 */
import type { ConfigProblem, SyncConfig } from '@portal/contract/sync/config';
import type { JourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import type { JourneyGateway } from '../journey/journey-gateway.ts';
import { explainFailure } from './explain-failure.ts';

interface ProbedJourney {
  readonly client: JourneyClient;
  readonly gateway: JourneyGateway;
  readonly rateLimiter: JourneyRateLimiter;
  /** Whether the versions to start from count. */
  readonly isNew: boolean;
}

/** Returns what the integration could not do, by the field that makes it need the call. */
export async function probeJourney(
  config: SyncConfig,
  { client, gateway, rateLimiter, isNew }: ProbedJourney,
  signal: AbortSignal,
): Promise<ConfigProblem[]> {
  const probe = async (field: string, what: string, call: () => Promise<ConfigProblem[]>): Promise<ConfigProblem[]> => {
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      return [{ field, reason: `${what}: ${explainFailure(error)}` }];
    }
  };
  const run = <Result>(call: () => Promise<Result>) => rateLimiter.run(client.baseUrl, call, { signal });

  const { oplogMinVersionAsString: version } = config.journeyToHelium;
  const readOpLog = async (): Promise<ConfigProblem[]> => {
    if (!isNew || version === '0') {
      await gateway.readTail(signal);
      return [];
    }
    const reason = await gateway.findVersionProblem(version, signal);
    return reason === null ? [] : [{ field: 'journeyToHelium.oplogMinVersionAsString', reason }];
  };
  const write = async () => {
    await run(() => client.probeBatch({ signal })).catch(ignoreVerdict);
    return [];
  };
  const listUsers = async () => {
    await run(() => client.users({ limit: 1, signal }));
    return [];
  };

  const { enableJourneyToHelium, enableHeliumToJourney, journeyToHeliumEnrollment: enrollment } = config;
  return [
    ...(enableJourneyToHelium ? await probe('enableJourneyToHelium', 'The op-log cannot be read', readOpLog) : []),
    ...(enableHeliumToJourney ? await probe('enableHeliumToJourney', 'Journey does not accept writes', write) : []),
    ...(enrollment.enabled && enrollment.type === 'session'
      ? await probe('journeyToHeliumEnrollment.enabled', 'The users cannot be read', listUsers)
      : []),
  ];
}

/** Journey may refuse a batch without operations, and has then read it. */
function ignoreVerdict(error: unknown): void {
  if (!(error instanceof JourneyProblem && error.failure.kind === 'invalid-request')) throw error;
}

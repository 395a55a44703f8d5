import type { Pool } from '@portal/kit/postgres/pool';
import { NotFound, NotSignedIn, Refused } from '@portal/kit/problems';
import type { HeliumClient } from '@portal/platforms/helium/client';
import type { Sessions } from '../session/sessions.ts';
import { findViewers, removeViewer } from './app-checks.store.ts';
import type { CheckSource } from './check-source.ts';
import type { Clock } from './clock.ts';
import { Pace } from './pace.ts';

/** The name of the platform among the sources of checks. */
export const platformSource = 'platform';

/** A hundred calls a minute read 400 apps within five minutes. */
const callIntervalMs = 600;
const maxSessions = 3;
const defaultMinAgeMs = 10_000;

interface CheckedPlatform {
  /** Of the environment. */
  readonly name: string;
  readonly helium: Pick<HeliumClient, 'silence' | 'getAppConfig'>;
}

interface PlatformSourceOptions {
  readonly pool: Pool;
  readonly sessions: Pick<Sessions, 'findById'>;
  readonly clock: Clock;
  /** Default: 10 s. */
  readonly minAgeMs?: number;
}

/**
 * Reads the configuration of apps with the credentials of sessions that view them. What the
 * platform refuses one session is no result for others.
 */
export function createPlatformSource(
  { name: environment, helium }: CheckedPlatform,
  { pool, sessions, clock, minAgeMs = defaultMinAgeMs }: PlatformSourceOptions,
): CheckSource {
  const pace = new Pace(clock);
  return {
    environment,
    subject: 'configuration',
    source: platformSource,
    minAgeMs,
    get silence() {
      return helium.silence;
    },
    listApps: async () => null,
    async check(appId, signal) {
      await pace.wait(signal);
      let isRefused = false;
      for (const id of await findViewers(pool, { environment, subject: 'configuration' }, appId, maxSessions)) {
        await pace.wait(signal);
        const session = await sessions.findById(id);
        if (session?.environment !== environment) {
          await removeViewer(pool, id);
          continue;
        }
        pace.rest(callIntervalMs);
        try {
          const { disabled, locked } = await helium.getAppConfig({
            credentials: session.credentials(),
            appId,
            signal,
          });
          return { disabled, locked };
        } catch (error) {
          // Repeating a wrong password could lock the user. The next view lists the apps first.
          if (error instanceof NotSignedIn) await removeViewer(pool, id);
          else if (error instanceof Refused || error instanceof NotFound) isRefused = true;
          else throw error;
        }
      }
      return isRefused ? 'refused' : undefined;
    },
  };
}

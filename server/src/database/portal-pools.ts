import type { Logger } from '@portal/kit/logger';
import { closeDeadConnections } from '@portal/kit/postgres/dead-connections';
import { createPool, type Pool } from '@portal/kit/postgres/pool';

/**
 * The connections to the portal's database, by purpose, so that no kind of work can take the
 * connections of another.
 */
export interface PortalPools {
  /** Sessions, sign-ins, audit writes and the readiness check. */
  readonly session: Pool;
  /** Short reads and changes. */
  readonly light: Pool;
  /** Searches, whole lists and imports, through HeavyWork. */
  readonly heavy: Pool;
  stop(): Promise<void>;
}

const limits = {
  session: { max: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 15_000 },
  light: { max: 6, connectTimeoutMs: 5_000, statementTimeoutMs: 15_000 },
  heavy: { max: 3, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000 },
} as const;

export function createPortalPools(databaseUrl: string, logger: Logger): PortalPools {
  const create = (name: keyof typeof limits) =>
    closeDeadConnections(createPool(databaseUrl, { applicationName: `portal ${name}`, logger, ...limits[name] }));
  const [session, light, heavy] = [create('session'), create('light'), create('heavy')];
  return {
    session,
    light,
    heavy,
    async stop() {
      await Promise.all([session.end(), light.end(), heavy.end()]);
    },
  };
}

import { findTestVersions } from '@portal/kit/postgres/test-versions';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import type { TestServerOptions } from '../../testing/test-server.ts';

export interface StatisticsWorld extends SmallWorld {
  /** Returns the superuser URL of one of the world's databases. */
  superuserUrl(dbName: string): string;
}

/**
 * Starts a small world with its own PostgreSQL, so that statistics contain no statements of other
 * tests and can be reset.
 */
export async function startStatisticsWorld(options: Partial<TestServerOptions> = {}): Promise<StatisticsWorld> {
  const version = findTestVersions().at(-1);
  if (!version) throw new Error('PostgreSQL is not installed');
  const postgres = await version.startExclusive();
  const world = await startSmallWorld(options, { postgresUrl: postgres.url });
  return {
    ...world,
    superuserUrl: (dbName) => Object.assign(new URL(postgres.url), { pathname: `/${dbName}` }).href,
    async stop() {
      await world.stop();
      await postgres.stop();
    },
  };
}

import { findTestVersions } from '@portal/kit/postgres/test-versions';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import type { TestServerOptions } from '../../testing/test-server.ts';

export interface CountingWorld extends SmallWorld {
  /** Superuser address of one of the world's databases. */
  superuserUrl(dbName: string): string;
}

/**
 * A small world in a PostgreSQL of its own: nobody else's tests are counted there, and it may be
 * reset.
 */
export async function startCountingWorld(options: Partial<TestServerOptions> = {}): Promise<CountingWorld> {
  const version = findTestVersions().at(-1);
  if (!version) throw new Error('there is no PostgreSQL');
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

import { findTestVersions } from '@portal/kit/postgres/test-versions';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import type { TestServerOptions } from '../../testing/test-server.ts';

/** A small world in a PostgreSQL of its own: nobody else's tests are counted there, and it may be reset. */
export async function startCountingWorld(options: Partial<TestServerOptions> = {}): Promise<SmallWorld> {
  const version = findTestVersions().at(-1);
  if (!version) throw new Error('there is no PostgreSQL');
  const postgres = await version.startAlone();
  const world = await startSmallWorld(options, { postgresUrl: postgres.url });
  return {
    ...world,
    async stop() {
      await world.stop();
      await postgres.stop();
    },
  };
}

import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { findTestVersions } from './test-versions.ts';

const versions = findTestVersions();

describe.each(versions)('$name', ({ major, start }) => {
  it('starts with statement statistics', async () => {
    const server = await start();
    const client = new pg.Client(server.url);
    await client.connect();
    const { rows } = await client.query(
      `select current_setting('server_version_num')::int / 10000 as major,
         current_setting('shared_preload_libraries') as preloaded`,
    );
    await client.end();
    await server.stop();
    expect(rows).toEqual([{ major, preloaded: 'pg_stat_statements' }]);
  });
});

// Reported in the run's summary if only one version was tested: version-specific behavior was then
// verified on one version only.
it.skipIf(versions.length > 1)('finds a PostgreSQL major version besides the embedded one', () => {
  expect(versions).not.toHaveLength(1);
});

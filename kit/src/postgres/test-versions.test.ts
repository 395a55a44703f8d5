// @module-tag long

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

/** As data sources; see docs/outside-systems.md. */
const supported = [11, 12, 13, 14, 15, 16, 17, 18];
const missing = supported.filter((major) => versions.every((version) => version.major !== major));

// A run counts what was not tested.
it.skip.each(missing)('PostgreSQL %i is not installed: npm run postgres-versions', () => {});

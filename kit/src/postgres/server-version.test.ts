import { expect, it } from 'vitest';
import { migrate } from './migrate.ts';
import { explainOldVersion, oldestVersions } from './server-version.ts';
import { findTestVersions } from './test-versions.ts';

const oldest = (major: number) => `PostgreSQL ${major} is the oldest supported version; upgrade the server`;

it.each([
  [180004, 13, null],
  [130000, 13, null],
  [110000, 11, null],
  [120022, 13, `runs PostgreSQL 12.22, but ${oldest(13)}`],
  [100023, 11, `runs PostgreSQL 10.23, but ${oldest(11)}`],
  [90624, 11, `runs PostgreSQL 9.6, but ${oldest(11)}`],
])('explains version %i where %i is the oldest: %s', (version, major, problem) => {
  expect(explainOldVersion(version, major)).toBe(problem);
});

const tooOld = findTestVersions().filter(({ major }) => major < oldestVersions.portalDatabase);

it.skipIf(tooOld.length === 0)('the portal’s database is not created on a server that is too old', async () => {
  for (const { major, start } of tooOld) {
    const server = await start();
    await expect(migrate(server.url, '/never/read')).rejects.toThrow(
      new RegExp(`^The database could not be migrated: the server runs PostgreSQL ${major}\\.\\d+, but ${oldest(13)}$`),
    );
    await server.stop();
  }
});

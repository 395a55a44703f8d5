// @module-tag long

import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRaceFixture, type Race, raceObjects, races } from './change-log-races.fixture.ts';
import { correctReader, createFollower, type Reader } from './follower.fixture.ts';
import type { HeliumFixture } from './helium-gateway.fixture.ts';
import { wrongReaders } from './wrong-readers.fixture.ts';

/** Each wrong reader with a race that defeats it. */
const undoing: Readonly<Record<keyof typeof wrongReaders, keyof typeof races>> = {
  'by the number alone': 'a lower number commits later',
  'below xmin': 'an older transaction draws later',
  'behind locks of the log tables only': 'a number is drawn and nothing logged yet',
  'locks before the horizon': 'a writer starts between two queries',
  'blind to prepared transactions': 'a transaction is prepared',
  'ignoring transactions prepared in the meantime': 'a transaction is prepared during the wait',
  'blind to tables being created': 'a table is being created',
  'blind to tables that were locked before': 'a table that was locked before becomes tracked',
  'applying the change as logged': 'a record is deleted and re-created at once',
};

const versions = findTestVersions();

describe.each(versions)('change log on $name', (version) => {
  let server: TestServer;
  let fixture: HeliumFixture;

  beforeAll(async () => {
    server = await version.startExclusive({ max_prepared_transactions: '5' });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    fixture = await createRaceFixture(server.url);
    return () => fixture.drop();
  });

  async function run(race: Race, reader: Reader) {
    const [a, b, c] = [await fixture.connect(), await fixture.connect(), await fixture.connect()];
    const follower = createFollower(fixture, raceObjects, reader);
    await race({ fixture, a, b, c, follower });
    return follower.settle();
  }

  it.each(Object.entries(races))('loses no record when %s', async (_, race) => {
    expect(await run(race, correctReader)).toEqual({ missed: [], different: [] });
  });

  // That the races defeat wrong readers is a property of the races, so one version is enough.
  const wrong = version === versions.at(-1) ? Object.entries(wrongReaders) : [];

  it.each(wrong)('would lose records if it were read %s', async (name, reader) => {
    const race = Object.entries(undoing).find(([reader]) => reader === name)?.[1];
    if (!race) throw new Error(`No race defeats ${name}.`);
    const { different } = await run(races[race], reader);
    expect(different).not.toEqual([]);
  });
});

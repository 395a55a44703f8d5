import { findTestVersions } from '@portal/kit/postgres/test-versions';
import { expect, onTestFinished, test } from 'vitest';
import type { ObjectMap } from '../mapping/object-map.ts';
import { atMs, createHeliumFixture, newId } from './helium-gateway.fixture.ts';

const list: ObjectMap = {
  table: 'list',
  model: 'list',
  fields: [{ column: 'code', field: 'code', kind: 'integer' }],
  toJourney: true,
  toHelium: true,
};

test.each(findTestVersions())(
  'rotates the values of a unique key and of an exclusion constraint on $name',
  async (version) => {
    const server = await version.startExclusive();
    onTestFinished(() => server.stop());
    const comparesNulls = version.major >= 15 ? ['unique nulls not distinct (code)'] : [];
    const columns = ['code integer unique', 'exclude (code with =)', ...comparesNulls];
    const fixture = await createHeliumFixture({ tables: { list: columns }, serverUrl: server.url });
    onTestFinished(() => fixture.drop());
    const ids = Array.from({ length: 40 }, newId);
    const write = (isInsert: boolean, by: number) =>
      fixture.write(
        [list],
        ids.map((id, at) => ({
          key: { table: 'list', id },
          fields: { code: (at + by) % ids.length },
          isInsert,
          changedAtMs: atMs,
        })),
      );
    await write(true, 0);
    expect(await write(false, 1)).toEqual(ids.map(() => ({ status: 'written' })));
  },
);

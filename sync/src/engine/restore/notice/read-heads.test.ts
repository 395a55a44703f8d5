import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHeliumFixture, type HeliumFixture, newId } from '../../../helium/helium-gateway.fixture.ts';
import { StateRestored } from '../../state/state-restored.ts';
import { readChangeLogHead } from './read-heads.ts';

let fixture: HeliumFixture;

beforeAll(async () => {
  fixture = await createHeliumFixture({ tables: { region: ['name text'] } });
});
afterAll(() => fixture.drop());

const read = (head?: string) => {
  const { gateway } = fixture;
  const helium = head === undefined ? gateway : { ...gateway, readHead: async () => head };
  return readChangeLogHead({ helium, signal: new AbortController().signal }, () => undefined);
};

test('returns the last number of the change log with its entry', async () => {
  expect(await read()).toEqual({ cursor: '0', point: null });
  const session = await fixture.connect();
  const id = newId();
  await session.query(`insert into region (_id_, _tstamp_) values ('${id}', now())`);
  expect(await read()).toMatchObject({ cursor: '1', point: { seq: '1', table: 'region', id } });
});

test('takes no number from a log that was restored while it was read', async () => {
  await expect(read('3')).rejects.toBeInstanceOf(StateRestored);
});

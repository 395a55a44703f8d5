import pg from 'pg';
import { expect, test } from 'vitest';
import { KeyMap } from '../../../record/record-key.ts';
import { absentRecord } from '../../../record/record-state.fixture.ts';
import { readEditTimes } from './edit-times.ts';

const key = { table: 'visit', id: '11111111-1111-4111-8111-111111111111' };
const known = { ...absentRecord, journey: { note: 'before' }, listedAtMs: null, missing: null };
const entry = { sequence: '1', key, operation: 'update' as const, fields: { note: 'after' }, changedAtMs: 2000 };
const record = { key, entries: [entry], known, held: undefined, isListed: false };

/** Reads the times of one record that is missing in Helium, whose log reports what is given. */
function read(logged: number | null | undefined, toJourney = true) {
  const deletions = new KeyMap<number | null>();
  if (logged !== undefined) deletions.set(key, logged);
  const context = {
    policy: 'helium' as const,
    helium: { readDeletionTimes: async () => deletions, readTransactionTimes: async () => new Map<string, number>() },
    mapping: {
      objects: [{ table: 'visit', model: 'visit', toHelium: true, toJourney, fields: [] }],
      notes: [],
      fingerprint: '',
    },
  };
  // Never connected.
  return readEditTimes(context, new pg.Client(), [record], new KeyMap(), '0');
}

test('a deletion counts from when it happened', async () => {
  const { deletionTimes, unlogged } = await read(1500);
  expect(deletionTimes.get(key)).toBe(1500);
  expect(unlogged.has(key)).toBe(false);
});

test('a deletion without a known time counts from now', async () => {
  const { deletionTimes, nowMs } = await read(null);
  expect(deletionTimes.get(key)).toBe(nowMs);
});

test('a record that the log should name, but does not, is no deletion', async () => {
  const { deletionTimes, unlogged } = await read(undefined);
  expect(deletionTimes.has(key)).toBe(false);
  expect(unlogged.has(key)).toBe(true);
});

test('a record that is missing counts as deleted now where its log is not read', async () => {
  const { deletionTimes, unlogged, nowMs } = await read(undefined, false);
  expect(deletionTimes.get(key)).toBe(nowMs);
  expect(unlogged.has(key)).toBe(false);
});

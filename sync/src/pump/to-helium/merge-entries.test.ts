import { expect, test } from 'vitest';
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { Fields } from '../../record/fields.ts';
import { absentRecord } from '../../record/record-state.fixture.ts';
import type { KnownRecord } from '../../sync-state/records.store.ts';
import { mergeEchoes, mergeEntries, newEntries, type RecordEntries } from './merge-entries.ts';

const key = { table: 'visit', id: '11111111-1111-4111-8111-111111111111' };
const columns = ['note', 'photo'].map((column) => ({ column, field: column, kind: 'text' as const }));
const context = {
  policy: 'later' as const,
  mapping: {
    objects: [{ table: 'visit', model: 'visit', toHelium: true, toJourney: true, fields: columns }],
    notes: [],
    fingerprint: '',
  },
};
const known: KnownRecord = { ...absentRecord, listedAtMs: null, missing: null };

function entry(fields: Fields | null, changedAtMs: number, rest: Partial<JourneyEntry> = {}): JourneyEntry {
  const operation = fields === null ? 'delete' : 'update';
  return { sequence: `${changedAtMs}`, key, operation, fields, changedAtMs, ...rest };
}

function record(entries: readonly JourneyEntry[], before: Partial<KnownRecord> = {}): RecordEntries {
  return { key, entries, known: { ...known, ...before }, held: undefined };
}

const row = (fields: Fields) => ({ id: key.id, fields, changedAtMs: 1000 });

test('applies the entries of one record in order, so the row becomes what the last entry leaves', () => {
  const before = { note: 'old', photo: null };
  const entries = [entry({ note: 'first', photo: null }, 2000), entry({ note: 'second', photo: 'p' }, 3000)];
  const merged = mergeEntries(context, record(entries, { journey: before }), row(before));
  expect(merged.rowAfter).toEqual({ id: key.id, fields: { note: 'second', photo: 'p' }, changedAtMs: 3000 });
  expect(merged).toMatchObject({ changedAtMs: 3000, isDirty: false, echoes: 0, conflicts: [], problem: null });
});

test('needs no row for a record that is created and deleted in one page', () => {
  const entries = [entry({ note: 'new', photo: null }, 2000, { operation: 'create' }), entry(null, 3000)];
  expect(mergeEntries(context, record(entries), null).rowAfter).toBeNull();
});

test('keeps the same row object when an entry changes nothing in it', () => {
  const before = row({ note: 'same', photo: null });
  const merged = mergeEntries(context, record([entry({ note: 'same', photo: null }, 2000)]), before);
  expect(merged.rowAfter).toBe(before);
});

test("keeps the row's value of a column that an entry does not report, and assumes Journey has it too", () => {
  const before = row({ note: 'old', photo: 'p' });
  const known = { journey: { note: 'old', photo: null } };
  const merged = mergeEntries(context, record([entry({ note: 'new' }, 2000)], known), before);
  expect(merged.rowAfter?.fields).toEqual({ note: 'new', photo: 'p' });
});

test('lets the last entry decide whether a record is readable', () => {
  const broken = entry({ note: 'broken' }, 3000, { problem: 'too large' });
  const readable = entry({ note: 'fine', photo: null }, 2000);
  expect(mergeEntries(context, record([readable, broken]), null)).toMatchObject({
    problem: 'too large',
    changedAtMs: 3000,
    rowAfter: { fields: { note: 'fine', photo: null } },
  });
  expect(mergeEntries(context, record([broken, readable]), null).problem).toBeNull();
});

test('skips entries older than a listing', () => {
  const entries = [entry({ note: 'old' }, 1000), entry({ note: 'listed' }, 2000), entry({ note: 'new' }, 3000)];
  expect(newEntries(record(entries, { listedAtMs: 2000 }))).toEqual(entries.slice(1));
  expect(newEntries(record(entries))).toEqual(entries);
});

test('merges entries without the row when all are echoes, but not when one is an edit', () => {
  const intents = [{ number: 1, method: 'patch' as const, fields: { note: 'ours' }, stage: 'acknowledged' as const }];
  const before = { journey: { note: 'old', photo: null }, intents };
  const echo = entry({ note: 'ours', photo: null }, 2000);
  const edit = entry({ note: 'theirs', photo: null }, 3000);
  expect(mergeEchoes(record([echo], before))).toMatchObject({ echoes: 1, state: { intents: [] }, rowAfter: null });
  expect(mergeEchoes(record([echo, edit], before))).toBeUndefined();
  expect(mergeEchoes(record([echo], { ...before, listedAtMs: 1000 }))).toBeUndefined();
});

import { expect, test } from 'vitest';
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import type { Fields } from '../../record/fields.ts';
import { absentRecord } from '../../record/record-state.fixture.ts';
import { seeFile } from '../../record/waiting-file.ts';
import type { KnownRecord } from '../../sync-state/records.store.ts';
import type { RecordEntries } from './merger/merged-entry.ts';
import { newEntries } from './merger/new-entries.ts';
import { mergeEchoes, mergeEntries } from './merger.ts';

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
  return { key, entries, known: { ...known, ...before }, held: undefined, isListed: false };
}

const seen = (id: string) => ({ id, url: `/${id}`, state: 'uploaded' });
const timing = { changedAtMs: 2000, nowMs: 2000, backoff: { initialMs: 1, maxMs: 1 } };
const row = (fields: Fields) => ({ id: key.id, fields, changedAtMs: 1000, txId: '1' });
const times = { transactionTimes: new Map<string, number>(), deletedAtMs: null, isMissingUnlogged: false, nowMs: 9000 };

test('applies the entries of one record in order, so the row becomes what the last entry leaves', () => {
  const before = { note: 'old', photo: null };
  const entries = [entry({ note: 'first', photo: null }, 2000), entry({ note: 'second', photo: 'p' }, 3000)];
  const merged = mergeEntries(context, record(entries, { journey: before }), row(before), times);
  expect(merged.rowAfter).toEqual({ id: key.id, fields: { note: 'second', photo: 'p' }, changedAtMs: 3000, txId: '1' });
  expect(merged).toMatchObject({ changedAtMs: 3000, isDirty: false, echoes: 0, conflicts: [], problem: null });
});

test('needs no row for a record that is created and deleted in one page', () => {
  const entries = [entry({ note: 'new', photo: null }, 2000, { operation: 'create' }), entry(null, 3000)];
  expect(mergeEntries(context, record(entries), null, times).rowAfter).toBeNull();
});

test('keeps the same row object when an entry changes nothing in it', () => {
  const before = row({ note: 'same', photo: null });
  const merged = mergeEntries(context, record([entry({ note: 'same', photo: null }, 2000)]), before, times);
  expect(merged.rowAfter).toBe(before);
});

test("keeps the row's value of a column that an entry does not report, and assumes Journey has it too", () => {
  const before = row({ note: 'old', photo: 'p' });
  const known = { journey: { note: 'old', photo: null } };
  const merged = mergeEntries(context, record([entry({ note: 'new' }, 2000)], known), before, times);
  expect(merged.rowAfter?.fields).toEqual({ note: 'new', photo: 'p' });
});

test('lets the last entry decide whether a record is readable', () => {
  const broken = entry({ note: 'broken' }, 3000, { problem: 'too large' });
  const readable = entry({ note: 'fine', photo: null }, 2000);
  expect(mergeEntries(context, record([readable, broken]), null, times)).toMatchObject({
    problem: 'too large',
    changedAtMs: 3000,
    rowAfter: { fields: { note: 'fine', photo: null } },
  });
  expect(mergeEntries(context, record([broken, readable]), null, times).problem).toBeNull();
  const unread = record([broken]);
  expect(mergeEntries(context, unread, row({ note: 'old', photo: null }), times).state).toBe(unread.known);
});

test('skips entries older than a listing', () => {
  const entries = [entry({ note: 'old' }, 1000), entry({ note: 'listed' }, 2000), entry({ note: 'new' }, 3000)];
  expect(newEntries(context, record(entries, { listedAtMs: 2000 }))).toEqual(entries.slice(1));
  expect(newEntries(context, record(entries))).toEqual(entries);
});

test('skips entries of the second of a listing, up to the last one that left what was listed', () => {
  const listed = { listedAtMs: 2000, journey: { note: 'second', photo: 'p' } };
  const [first, second, third] = [
    entry({ note: 'first', photo: 'p' }, 2000),
    entry({ note: 'second' }, 2000),
    entry({ note: 'third', photo: 'p' }, 2000),
  ];
  expect(newEntries(context, record([first, second], listed))).toEqual([]);
  expect(newEntries(context, record([first, second, third], listed))).toEqual([third]);
  expect(newEntries(context, record([first, third], listed))).toEqual([first, third]);
});

test('keeps an entry of the second of a listing that names another file, or none, than the one that waits', () => {
  const listed = { listedAtMs: 2000, journey: { note: 'listed', photo: null } };
  const [first, second, empty] = [
    entry({ note: 'listed' }, 2000, { attachments: { photo: seen('first') } }),
    entry({ note: 'listed' }, 2000, { attachments: { photo: seen('second') } }),
    entry({ note: 'listed', photo: null }, 2000),
  ];
  const files = new Map([['photo', seeFile(undefined, seen('first'), timing)]]);
  expect(newEntries(context, record([first], listed), files)).toEqual([]);
  expect(newEntries(context, record([first, second], listed), files)).toEqual([second]);
  expect(newEntries(context, record([first, empty], listed), files)).toEqual([empty]);
});

test('keeps an edited row when the object is only supposed to be deleted, and records both', () => {
  const supposed = { ...entry(null, 0), changedAtMs: null };
  const before = { journey: { note: 'old', photo: null } };
  const merged = mergeEntries(
    { ...context, policy: 'journey' },
    record([supposed], before),
    row({ note: 'new' }),
    times,
  );
  expect(merged.rowAfter?.fields).toEqual({ note: 'new' });
  expect(merged.state).toMatchObject({ journey: null, deletedAtMs: null });
  expect(merged).toMatchObject({ isDirty: true, conflicts: [{ column: null, journey: null, winner: 'helium' }] });
});

test('writes a listed object although its deletion was read before, but not an old op-log entry', () => {
  const deleted = { journey: null, deletedAtMs: 5000 };
  const seen = entry({ note: 'there', photo: null }, 3000);
  const listed = { ...record([seen], deleted), isListed: true };
  expect(mergeEntries(context, listed, null, times).rowAfter?.fields).toEqual(seen.fields);
  expect(mergeEntries(context, record([seen], deleted), null, times).rowAfter).toBeNull();
});

test('takes the time of an edit from the transaction log, and of a timestamp that was seen before from the clock', () => {
  const before = { journey: { note: 'old', photo: null } };
  const winner = (changedAtMs: number, known: Partial<KnownRecord>, transactionTimes = times.transactionTimes) =>
    mergeEntries(
      context,
      record([entry({ note: 'theirs', photo: null }, changedAtMs)], { ...before, ...known }),
      row({ note: 'ours', photo: null }),
      { ...times, transactionTimes },
    ).conflicts[0]?.winner;
  expect(winner(2000, {})).toBe('journey');
  expect(winner(2000, { tstampMs: 1000 })).toBe('helium');
  expect(winner(10_000, { tstampMs: 1000 })).toBe('journey');
  expect(winner(2000, {}, new Map([['1', 3000]]))).toBe('helium');
});

test('lets a deletion in Helium win against an earlier edit, also if our write comes back in the same page', () => {
  const intents = [
    {
      number: 1,
      method: 'put' as const,
      fields: { note: 'ours', photo: null },
      stage: 'acknowledged' as const,
      row: null,
    },
  ];
  const entries = [
    entry({ note: 'ours', photo: null }, 2000, { operation: 'create' }),
    entry({ note: 'theirs', photo: null }, 3000),
  ];
  const merge = (deletedAtMs: number) =>
    mergeEntries(context, record(entries, { intents }), null, { ...times, deletedAtMs });
  expect(merge(3000)).toMatchObject({ rowAfter: null, isDirty: true, state: { deletedAtMs: 3000 } });
  expect(merge(2000)).toMatchObject({ rowAfter: { fields: { note: 'theirs' } }, conflicts: [{ winner: 'journey' }] });
});

const heldRecord = (entries: readonly JourneyEntry[], before: Partial<KnownRecord>): RecordEntries => ({
  ...record(entries, before),
  held: {
    key,
    state: 'dead',
    kind: 'check',
    attempts: 1,
    sinceMs: 0,
    base: { note: 'old', photo: null },
    changedAtMs: 1000,
    helium: null,
  },
});

test('merges the entries of a held record one after another, without a conflict among them', () => {
  const entries = [entry({ note: 'second', photo: null }, 3000), entry({ note: 'third', photo: null }, 4000)];
  const before = { journey: { note: 'first', photo: null } };
  const merged = mergeEntries(context, heldRecord(entries, before), row({ note: 'old', photo: null }), times);
  expect(merged).toMatchObject({ conflicts: [], rowAfter: { fields: { note: 'third' } }, base: { note: 'old' } });
});

test('remembers that Helium has what our write shows of a held record', () => {
  const intents = [
    { number: 1, method: 'patch' as const, fields: { photo: 'p' }, stage: 'acknowledged' as const, row: null },
  ];
  const entries = [entry({ note: 'rejected', photo: 'p' }, 2000), entry({ note: 'again', photo: 'p' }, 3000)];
  const before = { journey: { note: 'rejected', photo: null }, intents };
  const merged = mergeEntries(context, heldRecord(entries, before), row({ note: 'old', photo: 'q' }), times);
  expect(merged.base).toEqual({ note: 'old', photo: 'p' });
  expect(merged).toMatchObject({ conflicts: [], rowAfter: { fields: { note: 'again', photo: 'q' } } });
});

test('merges entries without the row when all are echoes, but not when one is an edit', () => {
  const intents = [
    { number: 1, method: 'patch' as const, fields: { note: 'ours' }, stage: 'acknowledged' as const, row: null },
  ];
  const before = { journey: { note: 'old', photo: null }, intents };
  const echo = entry({ note: 'ours', photo: null }, 2000);
  const edit = entry({ note: 'theirs', photo: null }, 3000);
  expect(mergeEchoes(record([echo], before))).toMatchObject({ echoes: 1, state: { intents: [] }, rowAfter: null });
  expect(mergeEchoes(record([echo, edit], before))).toBeUndefined();
  expect(mergeEchoes(record([echo], { ...before, listedAtMs: 1000 }))).toBeUndefined();
});

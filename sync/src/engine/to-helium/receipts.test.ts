import { expect, test } from 'vitest';
import { absentRecord } from '../../record/record-state.fixture.ts';
import type { MergedEntry, MergeOutcome } from './merger/merged-entry.ts';
import { findHold, mustReadAgain } from './receipts.ts';

const key = { table: 'visit', id: '11111111-1111-4111-8111-111111111111' };
const parent = { table: 'farm', id: '22222222-2222-4222-8222-222222222222' };
const known = { ...absentRecord, journey: { note: 'before' }, listedAtMs: null, missing: null };
const held = {
  key,
  state: 'parked' as const,
  kind: 'missing parent',
  attempts: 1,
  sinceMs: 0,
  base: { note: 'base' },
  changedAtMs: 1000,
  helium: null,
};
const sent = { number: 1, method: 'patch' as const, fields: {}, stage: 'sent' as const, row: null };
const rowAfter = { id: key.id, fields: { note: 'after' }, changedAtMs: 2000, txId: '1' };
const merged: MergedEntry = {
  key,
  known,
  held: undefined,
  isListed: false,
  row: null,
  rowAfter,
  state: { ...absentRecord, journey: { note: 'after' } },
  base: { note: 'before' },
  changedAtMs: 2000,
  isDirty: false,
  isChanged: true,
  echoes: 0,
  conflicts: [],
  problem: null,
  deferred: null,
};

const written: MergeOutcome = { status: 'written' };
const parked: MergeOutcome = { status: 'parked', missing: [parent] };
const refused: MergeOutcome = { status: 'refused', kind: 'check', reason: 'too long' };

test.each([
  [
    "an unreadable value takes precedence over Helium's result",
    { problem: 'out of range' },
    refused,
    'unreadable value',
  ],
  ['a rejected row is held with the kind of rejection', {}, refused, 'check'],
  ['a parked row is held for its parent', {}, parked, 'missing parent'],
  ['a written row is free', {}, written, undefined],
  ['a row that needs no change is free', {}, undefined, undefined],
])('%s', (_, change, outcome, kind) => {
  expect(findHold({ ...merged, ...change }, outcome)?.kind).toBe(kind);
});

test('a skipped record stays skipped until Journey changes it', () => {
  const skipped = { ...merged, held: { ...held, state: 'skipped' as const } };
  expect(findHold({ ...skipped, isChanged: false }, refused)?.state).toBe('skipped');
  expect(findHold({ ...skipped, isChanged: true }, refused)?.state).toBe('dead');
});

test.each([
  ['the state after the page when the row could be written', { problem: 'out of range' }, written, 'after'],
  ['the state before the page when the row could not be written', {}, refused, 'before'],
  [
    'the state before the page when no entry could be read',
    { problem: 'out of range', state: known },
    undefined,
    'before',
  ],
])('the base of a held record is %s', (_, change, outcome, note) => {
  expect(findHold({ ...merged, ...change }, outcome)?.base).toEqual({ note });
});

test.each([
  ['a record that was missing in Journey is read again', { known: { ...known, missing: 'waits' as const } }, true],
  ['a record that was not held is read again when the merge requires it', { isDirty: true }, true],
  ['a record that was not held and is equal is not read again', {}, false],
  [
    'a freed record with an unanswered write is read again',
    { held, state: { ...merged.state, intents: [sent] } },
    true,
  ],
  ['a freed record that differs is read again', { held, rowAfter: null }, true],
  ['a freed record that is equal is not read again, whatever the merge says', { held, isDirty: true }, false],
])('%s', (_, change, expected) => {
  expect(mustReadAgain({ ...merged, ...change })).toBe(expected);
});

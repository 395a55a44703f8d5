import type { ClearingsQuestion, DeletionsQuestion, RestoredQuestion } from '@portal/contract/sync/recovery';
import { expect, test } from 'vitest';
import { describeEffect, describeQuestion, getDifferingObjects, getOptions, getTotals } from './recovery-texts.ts';

const about = { id: 'q-1', askedAt: '2026-11-20T02:00:00.000Z', reason: 'Entry 4 is another one.' };
const equal = { toHelium: true, toJourney: true, onlyInHelium: 0, onlyInJourney: 0, differ: 0, comingBack: 0 };
const restored: RestoredQuestion = {
  ...about,
  kind: 'restored',
  side: 'journey',
  asOf: null,
  objects: [
    { ...equal, table: 'clinic' },
    { ...equal, table: 'nurse', differ: 1 },
    { ...equal, table: 'visit', onlyInHelium: 1_204, onlyInJourney: 2, differ: 3, comingBack: 1 },
  ],
};
const deletions: DeletionsQuestion = {
  ...about,
  kind: 'deletions',
  side: 'helium',
  table: 'farmer',
  known: 30,
  absent: 12,
  isSyncedBack: true,
  clearedReferences: [{ table: 'voucher', column: 'farmer_fk', records: 4 }],
  sample: [],
};
const clearings: ClearingsQuestion = {
  ...about,
  kind: 'clearings',
  side: 'helium',
  table: 'farmer',
  columns: [
    { column: 'code', known: 60, absent: 60 },
    { column: 'rank', known: 60, absent: 2 },
  ],
  records: 60,
  isSyncedBack: true,
  sample: [],
};

test('names the side that went back, or the records that would be deleted', () => {
  expect(describeQuestion(restored)).toBe('Journey went back to an earlier state');
  expect(describeQuestion(deletions)).toBe('12 of 30 records of farmer would be deleted in Helium');
  expect(describeQuestion({ ...deletions, absent: 30 })).toBe('All 30 records of farmer would be deleted in Helium');
  expect(describeQuestion({ ...deletions, known: 1, absent: 1 })).toBe(
    'The only record of farmer would be deleted in Helium',
  );
});

test('describes what an answer creates, changes and deletes on one side', () => {
  const none = { created: 0, changed: 0, deleted: 0 };
  expect(describeEffect(none, 'keep-both')).toBe('nothing changes');
  expect(describeEffect({ ...none, created: 12, changed: 3 }, 'keep-both')).toBe(
    '12 records created, up to 3 changed, none deleted',
  );
  expect(describeEffect({ created: 1, changed: 1_000, deleted: 2 }, 'helium')).toBe(
    '1 record created, 1,000 changed, 2 deleted',
  );
  expect(describeEffect({ ...none, changed: 1 }, 'keep-both')).toBe('up to 1 record changed, none deleted');
  expect(describeEffect({ ...none, created: 12 }, 'keep')).toBe('12 records created, none deleted');
  expect(describeEffect({ ...none, deleted: 1 }, 'delete')).toBe('1 record deleted');
});

test('offers to keep both first, with the effect of each answer per side and the records that come back', () => {
  const options = getOptions(restored);
  expect(
    options.map(({ label, effects, deleted, needsConfirmation }) => [
      label,
      effects.map(({ text }) => text),
      deleted,
      needsConfirmation,
    ]),
  ).toEqual([
    [
      'Keep both',
      ['2 records created, up to 4 changed, none deleted', '1,204 records created, up to 4 changed, none deleted'],
      0,
      false,
    ],
    ['Helium is right', ['nothing changes', '1,204 records created, 4 changed, 2 deleted'], 2, true],
    ['Journey is right', ['2 records created, 4 changed, 1,204 deleted', 'nothing changes'], 1_204, true],
  ]);
  expect(options[0]?.description).toMatch(/listed as a conflict\. 1 record that was deleted before comes back\.$/);
  expect(
    getOptions({ ...restored, objects: [equal].map((one) => ({ ...one, table: 'clinic' })) })[0]?.description,
  ).toMatch(/listed as a conflict\.$/);
});

test('offers to keep the records before deleting them', () => {
  expect(getOptions(deletions).map(({ label, action, deleted }) => [label, action, deleted])).toEqual([
    ['Keep them', 'Keep the records', 0],
    ['Delete them', 'Delete 12 records', 12],
  ]);
  expect(
    getOptions({ ...deletions, absent: 1, known: 1 }).map(({ label, action, next }) => [label, action, next]),
  ).toEqual([
    ['Keep it', 'Keep the record', 'The integration is enabled, keeps the record of farmer, and continues to sync.'],
    [
      'Delete it',
      'Delete 1 record',
      'The integration is enabled, deletes the record of farmer in Helium, and continues to sync.',
    ],
  ]);
});

test('says whether kept records are created again where they are missing', () => {
  const keep = (isSyncedBack: boolean, absent = 12) => getOptions({ ...deletions, isSyncedBack, absent })[0];
  expect(keep(true)).toMatchObject({
    description: 'The records stay in Helium and are created in Journey again.',
    effects: [
      { side: 'helium', text: 'nothing changes' },
      { side: 'journey', text: '12 records created, none deleted' },
    ],
  });
  expect(keep(false)).toMatchObject({
    description: 'The records stay in Helium and are not created in Journey, because Helium is not synced to it.',
    effects: [
      { side: 'helium', text: 'nothing changes' },
      { side: 'journey', text: 'nothing changes' },
    ],
  });
  expect(keep(true, 1)?.description).toBe('The record stays in Helium and is created in Journey again.');
});

test('counts the values that an answer clears or restores, and asks for a confirmation of the clearing only', () => {
  expect(describeQuestion(clearings)).toBe('62 values of farmer would be cleared in Helium');
  expect(
    getOptions(clearings).map(({ action, effects, cleared, needsConfirmation }) => [
      action,
      effects.map(({ text }) => text),
      cleared,
      needsConfirmation,
    ]),
  ).toEqual([
    ['Keep the values', ['nothing changes', '60 records changed, none deleted'], 0, false],
    ['Clear 62 values', ['60 records changed, none deleted', 'nothing changes'], 62, true],
  ]);
  expect(getOptions({ ...clearings, isSyncedBack: false })[0]?.description).toBe(
    'The values stay in Helium and are not restored in Journey, because Helium is not synced to it.',
  );
});

test('lists objects with differences, the largest first, and sums them up', () => {
  expect(getDifferingObjects(restored.objects).map(({ table }) => table)).toEqual(['visit', 'nurse']);
  expect(getTotals(restored.objects)).toEqual({ onlyInHelium: 1_204, onlyInJourney: 2, differ: 4, comingBack: 1 });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ClearingsQuestion,
  type DeletionsQuestion,
  getAnswers,
  needsConfirmation,
  type ObjectDifference,
  predictEffect,
  type RestoredQuestion,
  type Side,
} from './recovery.ts';

const count = fc.nat(1_000);
const side = fc.constantFrom<Side>('helium', 'journey');
const about = { id: fc.string(), askedAt: fc.constant('2026-11-20T02:00:00.000Z'), reason: fc.string() };
const object: fc.Arbitrary<ObjectDifference> = fc.record({
  table: fc.string(),
  toHelium: fc.boolean(),
  toJourney: fc.boolean(),
  onlyInHelium: count,
  onlyInJourney: count,
  differ: count,
  comingBack: count,
});
const restored: fc.Arbitrary<RestoredQuestion> = fc.record({
  ...about,
  kind: fc.constant('restored'),
  side,
  asOf: fc.constantFrom(null, '2026-11-19T02:00:00.000Z'),
  objects: fc.array(object),
});
const deletions: fc.Arbitrary<DeletionsQuestion> = fc.record({
  ...about,
  kind: fc.constant('deletions'),
  side,
  table: fc.string(),
  known: count,
  absent: count,
  isSyncedBack: fc.boolean(),
  clearedReferences: fc.array(fc.record({ table: fc.string(), column: fc.string(), records: count })),
  sample: fc.array(fc.record({ id: fc.string(), values: fc.dictionary(fc.string(), fc.jsonValue()) })),
});
const clearings: fc.Arbitrary<ClearingsQuestion> = fc.record({
  ...about,
  kind: fc.constant('clearings'),
  side,
  table: fc.string(),
  columns: fc.array(fc.record({ column: fc.string(), known: count, absent: count })),
  records: count,
  isSyncedBack: fc.boolean(),
  sample: fc.array(fc.record({ id: fc.string(), values: fc.dictionary(fc.string(), fc.jsonValue()) })),
});
const question = fc.oneof(restored, deletions, clearings);

const total = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

describe('answers to a question', () => {
  it('start with one that deletes nothing on either side and needs no confirmation', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const [first = 'delete'] = getAnswers(asked);
        expect(first).toBe(asked.kind === 'restored' ? 'keep-both' : 'keep');
        const { helium, journey } = predictEffect(asked, first);
        expect([helium.deleted, journey.deleted]).toEqual([0, 0]);
        expect(needsConfirmation(asked, first)).toBe(false);
      }),
    );
  });

  it('need a confirmation exactly when they delete records or clear values', () => {
    fc.assert(
      fc.property(question, (asked) => {
        for (const answer of getAnswers(asked)) {
          const { helium, journey } = predictEffect(asked, answer);
          expect(needsConfirmation(asked, answer)).toBe(
            answer === 'clear' || helium.deleted > 0 || journey.deleted > 0,
          );
        }
      }),
    );
  });

  it('never write to a side whose direction is off', () => {
    fc.assert(
      fc.property(restored, (asked) => {
        const none = { created: 0, changed: 0, deleted: 0 };
        const objects = (off: object) => ({ ...asked, objects: asked.objects.map((one) => ({ ...one, ...off })) });
        for (const [off, idle] of [
          [objects({ toHelium: false }), 'helium'],
          [objects({ toJourney: false }), 'journey'],
        ] as const)
          for (const answer of getAnswers(off)) expect(predictEffect(off, answer)[idle]).toEqual(none);
      }),
    );
  });
});

describe('effect of an answer to a restore', () => {
  it.each([
    ['helium', 'journey', 'toJourney', 'onlyInHelium', 'onlyInJourney'],
    ['journey', 'helium', 'toHelium', 'onlyInJourney', 'onlyInHelium'],
  ] as const)(
    'makes both sides equal and leaves the right side unchanged when %s is right',
    (right, other, to, only, extra) => {
      fc.assert(
        fc.property(restored, (asked) => {
          const objects = asked.objects.map((one) => ({ ...one, [to]: true }));
          const effect = predictEffect({ ...asked, objects }, right);
          expect(effect[right]).toEqual({ created: 0, changed: 0, deleted: 0 });
          expect(effect[other]).toEqual({
            created: total(objects.map((one) => one[only])),
            changed: total(objects.map(({ differ }) => differ)),
            deleted: total(objects.map((one) => one[extra])),
          });
        }),
      );
    },
  );

  it('keeps every record on both sides when both are kept', () => {
    fc.assert(
      fc.property(restored, (asked) => {
        const objects = asked.objects.map((one) => ({ ...one, toHelium: true, toJourney: true }));
        const { helium, journey } = predictEffect({ ...asked, objects }, 'keep-both');
        expect(helium.created).toBe(total(objects.map(({ onlyInJourney }) => onlyInJourney)));
        expect(journey.created).toBe(total(objects.map(({ onlyInHelium }) => onlyInHelium)));
      }),
    );
  });
});

describe('effect of an answer about deletions', () => {
  it('deletes the absent records on one side and clears the references to them, or creates them on the other if they are synced back', () => {
    fc.assert(
      fc.property(deletions, (asked) => {
        const none = { created: 0, changed: 0, deleted: 0 };
        const other = asked.side === 'helium' ? 'journey' : 'helium';
        const cleared = total(asked.clearedReferences.map(({ records }) => records));
        expect(predictEffect(asked, 'delete')).toEqual({
          [asked.side]: { created: 0, changed: cleared, deleted: asked.absent },
          [other]: none,
        });
        expect(predictEffect(asked, 'keep')).toEqual({
          [asked.side]: none,
          [other]: { ...none, created: asked.isSyncedBack ? asked.absent : 0 },
        });
      }),
    );
  });
});

describe('effect of an answer about values', () => {
  it('clears the values on one side, or restores them on the other if they are synced back', () => {
    fc.assert(
      fc.property(clearings, (asked) => {
        const none = { created: 0, changed: 0, deleted: 0 };
        const other = asked.side === 'helium' ? 'journey' : 'helium';
        expect(predictEffect(asked, 'clear')).toEqual({
          [asked.side]: { ...none, changed: asked.records },
          [other]: none,
        });
        expect(predictEffect(asked, 'keep')).toEqual({
          [asked.side]: none,
          [other]: { ...none, changed: asked.isSyncedBack ? asked.records : 0 },
        });
      }),
    );
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fields } from './fields.ts';
import { absentRecord } from './record-state.fixture.ts';
import { applyWrite, type Intent, planJourneyWrite } from './record-state.ts';

const value = fc.constantFrom(null, 1, 2, 3);
const allFields = fc.record({ a: value, b: value });
const patch = fc.record({ a: value, b: value }, { requiredKeys: [] });
const content: fc.Arbitrary<Fields | null> = fc.option(allFields, { nil: null });
const write: fc.Arbitrary<Pick<Intent, 'method' | 'fields'>> = fc.oneof(
  fc.record({ method: fc.constant('put' as const), fields: allFields }),
  fc.record({ method: fc.constant('patch' as const), fields: patch }),
  fc.constant({ method: 'delete' as const, fields: {} }),
);
const sent = fc.record({
  write,
  stage: fc.constantFrom('sent' as const, 'acknowledged' as const),
  /** Whether the write landed, when it was never acknowledged. */
  hasLanded: fc.boolean(),
});

test('sends writes that make Journey equal to Helium, whichever unanswered writes have landed', () => {
  fc.assert(
    fc.property(content, content, fc.array(sent, { maxLength: 4 }), (journey, helium, history) => {
      const intents = history.map(
        ({ write, stage }, index): Intent => ({ ...write, number: index + 1, stage, row: null }),
      );
      const landed = history.filter(({ stage, hasLanded }) => stage === 'acknowledged' || hasLanded);
      const present = landed.map(({ write }) => write).reduce(applyWrite, journey);
      const next = planJourneyWrite({ ...absentRecord, journey, intents }, helium);
      expect(next ? applyWrite(present, next) : present).toEqual(helium);
    }),
    { numRuns: 2000 },
  );
});

test('does not send what Journey has already, whichever unanswered writes have landed', () => {
  fc.assert(
    fc.property(allFields, allFields, fc.array(patch, { maxLength: 3 }), (journey, helium, patches) => {
      const intents = patches.map(
        (fields, index): Intent => ({ method: 'patch', fields, number: index + 1, stage: 'sent', row: null }),
      );
      const next = planJourneyWrite({ ...absentRecord, journey, intents }, helium);
      for (const column of ['a', 'b'] as const) {
        const mayDiffer = [journey, ...patches.filter((fields) => Object.hasOwn(fields, column))].some(
          (fields) => fields[column] !== helium[column],
        );
        expect(Object.hasOwn(next?.fields ?? {}, column)).toBe(mayDiffer);
      }
    }),
  );
});

test('sends a never-synced column when it has a value, but not when it is empty', () => {
  const state = { ...absentRecord, journey: { a: 1 } };
  expect(planJourneyWrite(state, { a: 1, b: null })).toBeNull();
  expect(planJourneyWrite(state, { a: 1, b: 2 })).toEqual({ method: 'patch', fields: { b: 2 } });
});

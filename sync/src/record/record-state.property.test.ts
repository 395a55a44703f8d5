import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fields } from './fields.ts';
import { unknownRecord } from './record-state.fixture.ts';
import { afterWrite, type Intent, writeForJourney } from './record-state.ts';

const value = fc.constantFrom(null, 1, 2, 3);
const whole = fc.record({ a: value, b: value });
const content: fc.Arbitrary<Fields | null> = fc.option(whole, { nil: null });
const write: fc.Arbitrary<Pick<Intent, 'method' | 'fields'>> = fc.oneof(
  fc.record({ method: fc.constant('put' as const), fields: whole }),
  fc.record({ method: fc.constant('patch' as const), fields: fc.record({ a: value, b: value }, { requiredKeys: [] }) }),
  fc.constant({ method: 'delete' as const, fields: {} }),
);
const sent = fc.record({
  write,
  stage: fc.constantFrom('sent' as const, 'acknowledged' as const),
  /** What became of it when it was never acknowledged. */
  hasLanded: fc.boolean(),
});

test('what is sent makes Journey equal to Helium, whichever of the unanswered writes have landed', () => {
  fc.assert(
    fc.property(content, content, fc.array(sent, { maxLength: 4 }), (journey, helium, history) => {
      const intents = history.map(({ write, stage }, index): Intent => ({ ...write, number: index + 1, stage }));
      const landed = history.filter(({ stage, hasLanded }) => stage === 'acknowledged' || hasLanded);
      const present = landed.map(({ write }) => write).reduce(afterWrite, journey);
      const next = writeForJourney({ ...unknownRecord, journey, intents }, helium);
      expect(next ? afterWrite(present, next) : present).toEqual(helium);
    }),
    { numRuns: 2000 },
  );
});

test('a column that was never synced is sent when it has a value, and not when it is empty', () => {
  const state = { ...unknownRecord, journey: { a: 1 } };
  expect(writeForJourney(state, { a: 1, b: null })).toBeNull();
  expect(writeForJourney(state, { a: 1, b: 2 })).toEqual({ method: 'patch', fields: { b: 2 } });
});

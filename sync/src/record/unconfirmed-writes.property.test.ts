import fc from 'fast-check';
import { expect, test } from 'vitest';
import { areFieldsEqual, type Fields } from './fields.ts';
import { applyWrite, type Intent } from './record-state.ts';
import { clockToleranceMs, isPast, needsObject, resolveWrites } from './unconfirmed-writes.ts';

const seed = Number(process.env.SEED ?? 20_261_121);
const options = { seed, numRuns: 3000 };

const value = fc.constantFrom(1, 2, null);
const object = fc.option(fc.record({ a: value, b: value }), { nil: null });
const fields: fc.Arbitrary<Pick<Intent, 'method' | 'fields'>> = fc.oneof(
  fc.record({ method: fc.constant('put' as const), fields: fc.record({ a: value, b: value }) }),
  fc.record({ method: fc.constant('patch' as const), fields: fc.record({ a: value }) }),
  fc.constant({ method: 'delete' as const, fields: {} }),
);
const stage = fc.constantFrom<Intent['stage'][]>('acknowledged', 'acknowledged', 'superseded', 'sent');
const intents = fc
  .array(fc.tuple(fields, stage), { maxLength: 3 })
  .map((writes) => writes.map(([write, stage], index): Intent => ({ ...write, stage, number: index + 1, row: null })));
const state = fc.record({ journey: object, intents });

/** What Journey has after all of these, in order. */
function replay(before: Fields | null, writes: readonly Intent[]): Fields | null {
  return writes.reduce(applyWrite, before);
}

test('removes no write without proof, whatever Journey has, and lets it explain an echo', () => {
  fc.assert(
    fc.property(state, fc.option(object, { nil: undefined }), (state, object) => {
      const resolved = resolveWrites(state, object, () => false);
      expect(resolved.removed).toEqual([]);
      expect(resolved.journey).toBe(state.journey);
      // Sent again only where Journey has what it had before the write.
      if (resolved.isDirty) expect(object === undefined || areFieldsEqual(object, state.journey)).toBe(true);
      expect(resolved.isDirty).toBe(resolved.superseded.length > 0);
    }),
    options,
  );
});

test('checks no record again whose object has what was written', () => {
  fc.assert(
    fc.property(state, object, fc.boolean(), (state, before, isProven) => {
      const acknowledged = state.intents.filter(({ stage }) => stage === 'acknowledged');
      const object = replay(before, acknowledged);
      // Otherwise Journey would have reported the patch of a missing object.
      fc.pre(object !== null || acknowledged.at(-1)?.method === 'delete');
      const resolved = resolveWrites(state, object, () => isProven);
      expect(resolved).toMatchObject({ isDirty: false, superseded: [] });
      expect(resolved.verdict).not.toBe('behind');
    }),
    options,
  );
});

test('removes all acknowledged writes with proof, unless another one is under way', () => {
  fc.assert(
    fc.property(state, object, (state, object) => {
      const { removed, verdict } = resolveWrites(state, object, () => true);
      const isUnderWay = state.intents.some(({ stage }) => stage === 'sent');
      const acknowledged = state.intents.filter(({ stage }) => stage === 'acknowledged');
      expect(removed).toEqual(isUnderWay ? [] : acknowledged);
      expect(verdict).toBe(isUnderWay || acknowledged.length === 0 ? 'kept' : 'confirmed');
    }),
    options,
  );
});

test('waits for the op-log when Journey has neither what was written nor what the op-log shows', () => {
  const journey = { a: 1, b: 1 };
  const intent: Intent = { number: 1, method: 'patch', fields: { a: 2 }, stage: 'acknowledged', row: null };
  const judge = (object: Fields | null) => resolveWrites({ journey, intents: [intent] }, object, () => false).verdict;
  expect(judge({ a: 3, b: 1 })).toBe('behind');
  expect(judge(null)).toBe('behind');
  expect(judge({ a: 2, b: 3 })).toBe('kept');
  // A file that is not uploaded yet has no value.
  expect(judge({ a: 2 })).toBe('kept');
  expect(judge({ a: 1, b: 1 })).toBe('confirmed');
});

test('asks Journey only about records whose acknowledged writes changed something', () => {
  fc.assert(
    fc.property(state, (state) => {
      const acknowledged = state.intents.filter(({ stage }) => stage === 'acknowledged');
      if (areFieldsEqual(replay(state.journey, acknowledged), state.journey)) expect(needsObject(state)).toBe(false);
      else expect(needsObject(state)).toBe(!state.intents.some(({ stage }) => stage === 'sent'));
    }),
    options,
  );
});

test('takes an entry as proof only if it was written after the answer, and not by a clock that was ahead', () => {
  const minuteMs = 60_000;
  const time = fc.integer({ min: 0, max: 30 * minuteMs });
  fc.assert(
    fc.property(time, time, time, (answeredAtMs, entryAtMs, nowMs) => {
      const acknowledgedBefore = answeredAtMs + clockToleranceMs < entryAtMs ? 1 : 0;
      const proof = { entryAtMs, nowMs, acknowledgedBefore };
      const isAcknowledgedPast = isPast({ number: 1, stage: 'acknowledged' }, proof);
      expect(isAcknowledgedPast).toBe(acknowledgedBefore === 1 && entryAtMs <= nowMs);
      expect(isPast({ number: 1, stage: 'sent' }, proof)).toBe(false);
      const ageMs = nowMs - answeredAtMs;
      const isLate = entryAtMs > answeredAtMs + 10 * minuteMs + clockToleranceMs;
      expect(isPast({ number: 1, stage: 'superseded', ageMs }, proof)).toBe(isLate && entryAtMs <= nowMs);
    }),
    options,
  );
});

test('takes what Journey acknowledged as known where only the existence of an object was', () => {
  const journey = { a: null, b: null };
  const intent: Intent = { number: 1, method: 'patch', fields: { a: 2 }, stage: 'acknowledged', row: null };
  const state = { journey, intents: [intent], isWithoutValues: true };
  const after = resolveWrites(state, { a: 2, b: 3 }, () => false);
  expect(after).toMatchObject({ verdict: 'kept', journey: { a: 2, b: null }, removed: [], superseded: [] });
});

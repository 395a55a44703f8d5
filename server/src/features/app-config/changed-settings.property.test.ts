import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areEqual, type ChangedSettings, pickSettings, toSteps } from './changed-settings.ts';

const minutes = fc.integer({ min: 1, max: 120 });
const timeouts = fc.dictionary(fc.constantFrom('A:a', 'B:b', 'C:c'), minutes);
const config = fc.record({
  processEntryPointTimeouts: timeouts,
  maxDatabaseResults: fc.integer({ min: 1, max: 100_000 }),
  disabled: fc.boolean(),
  disabledMessage: fc.option(fc.string()),
  locked: fc.boolean(),
  lockedMessage: fc.option(fc.string()),
});
/** One or two entry points, as the calls change them. */
const change = fc
  .dictionary(fc.constantFrom('A:a', 'B:b', 'C:c'), fc.option(minutes), { minKeys: 1, maxKeys: 2 })
  .map((processEntryPointTimeouts): ChangedSettings => ({ processEntryPointTimeouts }));

/** What the platform does with a patch. */
function patched(now: ChangedSettings, { processEntryPointTimeouts, ...others }: ChangedSettings): ChangedSettings {
  const merged = { ...now.processEntryPointTimeouts, ...processEntryPointTimeouts };
  const set = Object.entries(merged).filter(([, value]) => value !== null);
  return { ...now, ...others, processEntryPointTimeouts: Object.fromEntries(set) };
}

describe('a change', () => {
  it('is made by its steps, whatever was there before', () => {
    fc.assert(
      fc.property(config, change, (before, after) => {
        const made = toSteps(after).reduce(patched, before);
        expect(areEqual(pickSettings(made, after), after)).toBe(true);
      }),
    );
  });

  it('is undone by what was there before', () => {
    fc.assert(
      fc.property(config, change, (before, after) => {
        const made = toSteps(after).reduce(patched, before);
        const undone = toSteps(pickSettings(before, after)).reduce(patched, made);
        expect(undone).toEqual(before);
      }),
    );
  });

  it('removes before it adds', () => {
    fc.assert(
      fc.property(change, (after) => {
        const values = toSteps(after).flatMap((step) => Object.values(step.processEntryPointTimeouts ?? {}));
        expect(values).toEqual(values.toSorted((one, other) => Number(one !== null) - Number(other !== null)));
      }),
    );
  });
});

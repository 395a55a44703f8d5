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
/** One or two entry points, as the endpoints change them. */
const change = fc
  .dictionary(fc.constantFrom('A:a', 'B:b', 'C:c'), fc.option(minutes), { minKeys: 1, maxKeys: 2 })
  .map((processEntryPointTimeouts): ChangedSettings => ({ processEntryPointTimeouts }));

/** Applies a patch as the platform does. */
function patched(now: ChangedSettings, { processEntryPointTimeouts, ...others }: ChangedSettings): ChangedSettings {
  const merged = { ...now.processEntryPointTimeouts, ...processEntryPointTimeouts };
  const set = Object.entries(merged).filter(([, value]) => value !== null);
  return { ...now, ...others, processEntryPointTimeouts: Object.fromEntries(set) };
}

describe('configuration change', () => {
  it('its steps produce the requested settings from any previous state', () => {
    fc.assert(
      fc.property(config, change, (before, after) => {
        const result = toSteps(after).reduce(patched, before);
        expect(areEqual(pickSettings(result, after), after)).toBe(true);
      }),
    );
  });

  it('the previous values undo it', () => {
    fc.assert(
      fc.property(config, change, (before, after) => {
        const result = toSteps(after).reduce(patched, before);
        const undone = toSteps(pickSettings(before, after)).reduce(patched, result);
        expect(undone).toEqual(before);
      }),
    );
  });

  it('removes entry points before it adds others', () => {
    fc.assert(
      fc.property(change, (after) => {
        const values = toSteps(after).flatMap((step) => Object.values(step.processEntryPointTimeouts ?? {}));
        expect(values).toEqual(values.toSorted((one, other) => Number(one !== null) - Number(other !== null)));
      }),
    );
  });
});

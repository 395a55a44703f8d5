import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DeploymentsChoices, readChoices, type WizardPurpose, writeChoices } from './deployments-address.ts';

const id = fc.string({ minLength: 1, maxLength: 40 });
const purpose: fc.Arbitrary<WizardPurpose> = fc.oneof(
  fc.constant({ kind: 'new' } as const),
  fc.record({ kind: fc.constantFrom('update' as const, 'clone' as const), id }),
);
const choices: fc.Arbitrary<DeploymentsChoices> = fc.record({
  schedule: fc.option(id),
  wizard: fc.option(purpose),
  withResolved: fc.boolean(),
  period: fc.option(fc.constantFrom('overdue' as const, 'today' as const, 'week' as const)),
  month: fc.option(fc.constantFrom('2026-01', '2026-11', '2027-12')),
  day: fc.option(fc.constantFrom('2026-11-24', '2027-01-01', '2026-12-31')),
});

describe('deployments page address', () => {
  test('reads back the choices written to it, whatever other parameters it has', () => {
    fc.assert(
      fc.property(choices, (chosen) => {
        const address = writeChoices({ q: 'stock', sort: '-team', schedule: 'another', day: '2020-01-01' }, chosen);
        expect(readChoices(address)).toEqual(chosen);
        expect(address).toMatchObject({ q: 'stock', sort: '-team' });
      }),
    );
  });

  test('falls back to the defaults on invalid values', () => {
    expect(readChoices({ wizard: 'update-', month: '2026-13', day: 'today', resolved: 'yes', period: 'ever' })).toEqual(
      {
        schedule: null,
        wizard: null,
        withResolved: false,
        period: null,
        month: null,
        day: null,
      },
    );
  });
});

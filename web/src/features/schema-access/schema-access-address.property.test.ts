import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAccessChoices, writeAccessChoices } from './schema-access-address.ts';

const text = fc.option(fc.string({ minLength: 1 }));
const anyChoices = fc.record({
  mode: fc.constantFrom('migrate' as const, 'generate' as const),
  team: text,
  source: text,
  schema: text,
  isCurrentOnly: fc.boolean(),
  grant: text,
});

test('round-trips all choices and preserves the parameters of the tables', () => {
  fc.assert(
    fc.property(anyChoices, anyChoices, (before, after) => {
      const address = writeAccessChoices(writeAccessChoices({ q: 'clinic', page: '2' }, before), after);
      expect(readAccessChoices(address)).toEqual(after);
      expect(address).toMatchObject({ q: 'clinic', page: '2' });
    }),
  );
});

test('writes nothing to the address for the default view', () => {
  expect(writeAccessChoices({}, readAccessChoices({}))).toEqual({});
});

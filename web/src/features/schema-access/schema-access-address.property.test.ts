import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAccessChoices, writeAccessChoices } from './schema-access-address.ts';

const text = fc.option(fc.string({ minLength: 1 }));
const anyChoices = fc.record({
  mode: fc.constantFrom('migrate' as const, 'generate' as const),
  team: text,
  source: text,
  schema: text,
  onlyNow: fc.boolean(),
  grant: text,
});

test('whatever is chosen comes back from the address, and the tables keep their parts of it', () => {
  fc.assert(
    fc.property(anyChoices, anyChoices, (before, after) => {
      const address = writeAccessChoices(writeAccessChoices({ q: 'clinic', page: '2' }, before), after);
      expect(readAccessChoices(address)).toEqual(after);
      expect(address).toMatchObject({ q: 'clinic', page: '2' });
    }),
  );
});

test('the first look of the page has nothing in its address', () => {
  expect(writeAccessChoices({}, readAccessChoices({}))).toEqual({});
});

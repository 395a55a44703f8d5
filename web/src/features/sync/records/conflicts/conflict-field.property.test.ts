import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFieldName, toFieldName } from './conflict-field.ts';

const name = fc.stringMatching(/^[^.]+$/);

test('a field in the address is read as it was written', () => {
  fc.assert(
    fc.property(name, fc.option(name), (table, column) => {
      expect(parseFieldName(toFieldName({ table, column }))).toEqual({ table, column });
    }),
  );
});

test('other texts in the address are no field', () => {
  for (const text of ['', '.', '.note', 'visit', 'visit.note.more']) expect(parseFieldName(text)).toBeNull();
});

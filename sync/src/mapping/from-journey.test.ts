import { expect, test } from 'vitest';
import { fieldsFromJourney } from './from-journey.ts';
import { fieldsToJourney } from './to-journey.ts';

const map = {
  table: 'crop',
  model: 'crop',
  fields: ['constructor', 'toString', 'valueOf', 'hasOwnProperty'].map((name) => ({
    column: name.toLowerCase(),
    field: name,
    kind: 'text' as const,
  })),
  toJourney: true,
  toHelium: true,
};

test('reads an empty field that Journey leaves out as empty, whatever its name is', () => {
  const { fields, problem } = fieldsFromJourney(map, {
    id: '11111111-1111-4111-8111-111111111111',
    type: 'crop',
    updated_at: null,
  });
  expect(problem).toBeNull();
  expect(Object.entries(fields)).toEqual(map.fields.map(({ column }) => [column, null]));
});

test('sends only the fields of a change, whatever the names of the others are', () => {
  expect(Object.entries(fieldsToJourney(map, { valueof: 'x' }))).toEqual([['valueOf', 'x']]);
});

import type { JourneyFields, JourneyObject, JourneyValue } from '@portal/platforms/journey/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Value } from '../record/fields.ts';
import { journeyFileName } from './file-values.ts';
import { fieldsFromJourney } from './from-journey.ts';
import type { FieldKind, FieldMap, ObjectMap } from './object-map.ts';
import { fieldsToJourney } from './to-journey.ts';
import { UnsupportedValue } from './values.ts';

const kinds: readonly Exclude<FieldKind, 'blob'>[] = [
  'text',
  'integer',
  'number',
  'boolean',
  'date',
  'datetime',
  'choice',
  'reference',
];
const map: ObjectMap = {
  table: 'thing',
  model: 'Thing',
  toJourney: true,
  toHelium: true,
  fields: kinds.map((kind): FieldMap => ({ column: `${kind}_column`, field: `${kind}Field`, kind })),
};
const id = '6b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11';

const text = fc.string({ unit: 'binary' }).filter((value) => !/\0|\p{Surrogate}/u.test(value));
const moment = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});
const values: Readonly<Record<Exclude<FieldKind, 'blob'>, fc.Arbitrary<Value>>> = {
  text,
  choice: text,
  integer: fc.oneof(fc.integer(), fc.constantFrom(2147483647, -2147483648)),
  number: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()).map((value) => value + 0),
  boolean: fc.boolean(),
  date: moment.map((at) => at.toISOString().slice(0, 10)),
  datetime: moment.map((at) => `${at.toISOString().slice(0, 19)}Z`),
  reference: fc.uuid(),
};
const fieldsOfAllKinds = fc.record(
  Object.fromEntries(kinds.map((kind) => [`${kind}_column`, fc.option(values[kind], { freq: 5 })])),
);

/**
 * Returns an object as Journey shows it after a write: without missing values, with labels on
 * booleans and choices, as plain JSON.
 */
function shown(written: JourneyFields, missingNulls: boolean): JourneyObject {
  const withLabel = (value: JourneyValue) => (value === null ? null : { key: value, display: `The ${value}` });
  const entries = Object.entries(written)
    .map(([name, value]) => [name, /^(boolean|choice)/.test(name) ? withLabel(value) : value] as const)
    .filter(([, value]) => !(missingNulls && value === null));
  const object = { ...Object.fromEntries(entries), id, type: 'Thing', updated_at: '2024-03-01T09:30:00Z' };
  return JSON.parse(JSON.stringify(object));
}

describe('values', () => {
  it('reads the same values back from Journey that were written', () => {
    fc.assert(
      fc.property(fieldsOfAllKinds, fc.boolean(), (fields, missingNulls) => {
        const written = fieldsToJourney(map, fields);
        if (written instanceof UnsupportedValue) throw new Error(written.reason);
        expect(fieldsFromJourney(map, shown(written, missingNulls))).toEqual({
          fields,
          attachments: [],
          problem: null,
        });
      }),
    );
  });

  it('sends plain values to Journey under its names, and only the given ones', () => {
    expect(fieldsToJourney(map, { boolean_column: true, reference_column: id, text_column: null, other: 1 })).toEqual({
      booleanField: true,
      referenceField_id: id,
      textField: null,
    });
  });

  it('distinguishes values that JSON cannot express from a clear', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      expect(fieldsToJourney(map, { number_column: value })).toBeInstanceOf(UnsupportedValue);
  });

  it.each([
    ['2024-02-22T14:00:53.999Z', '2024-02-22T14:00:53Z'],
    ['1969-12-31T23:59:58.001Z', '1969-12-31T23:59:58Z'],
    ['2024-02-29T01:30:00+02:00', '2024-02-28T23:30:00Z'],
    ['2024-02-22T14:00Z', '2024-02-22T14:00:00Z'],
  ])('truncates to whole seconds in UTC: %s', (datetimeField, expected) => {
    const seen = fieldsFromJourney(map, { datetimeField, id, type: 'Thing', updated_at: null });
    expect(seen.fields.datetime_column).toBe(expected);
  });

  it('never fails to read an object, whatever it contains', () => {
    const anyObject = fc.dictionary(
      fc.constantFrom(...Object.keys(shown(allNull(), false)), 'x', 'x_id'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(anyObject, (object) => {
        const { fields, problem } = fieldsFromJourney(map, { ...object, id, type: 'Thing', updated_at: null });
        const isComplete = map.fields.every(({ column }) => fields[column] !== undefined);
        expect(isComplete).toBe(problem === null);
      }),
    );
  });

  it('reads its own output unchanged', () => {
    const nearly = fc.record({
      datetimeField: moment.map((at) => at.toISOString().replace('Z', '+02:00')),
      referenceField_id: fc.uuid().map((value) => value.toUpperCase()),
      numberField: fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
    });
    fc.assert(
      fc.property(nearly, (object) => {
        const once = fieldsFromJourney(map, { ...object, id, type: 'Thing', updated_at: null });
        fc.pre(once.problem === null);
        const written = fieldsToJourney(map, once.fields);
        if (written instanceof UnsupportedValue) throw new Error(written.reason);
        expect(fieldsFromJourney(map, shown(written, false)).fields).toEqual(once.fields);
      }),
    );
  });
});

describe('values that Helium cannot store', () => {
  it.each([
    ['integerField', 2147483648, '2147483648 is outside'],
    ['integerField', '9007199254740993', 'is outside'],
    ['integerField', 1.5, 'is not a whole number'],
    ['numberField', 'many', 'is not a number'],
    ['textField', 'a\0b', 'NUL'],
    ['textField', '\ud800', 'half a character'],
    ['textField', 5, 'is not text'],
    ['booleanField', { key: 'yes', display: 'Yes' }, 'neither true nor false'],
    ['choiceField', { key: 1, display: 'One' }, 'is not text'],
    ['dateField', '2023-02-29', 'is not a date'],
    ['dateField', '0000-01-01', 'is not a date'],
    ['dateField', '2024-02-27T00:00:00Z', 'is not a date'],
    ['datetimeField', '2024-02-30T00:00:00Z', 'is not a date and time'],
    ['datetimeField', '2024-02-22 14:00', 'is not a date and time'],
    ['datetimeField', '0001-01-01T00:00:00+01:00', 'is not a date and time'],
    ['referenceField_id', '55c1a6a0f1b811e1a7df001c', 'is not a UUID'],
  ])("reports %s %j as a problem with the field's name", (name, value, words) => {
    const { fields, problem } = fieldsFromJourney(map, { [name]: value, id, type: 'Thing', updated_at: null });
    expect(problem).toContain(`Thing.${name.replace('_id', '')} `);
    expect(problem).toContain(words);
    expect(Object.keys(fields)).toHaveLength(kinds.length - 1);
  });

  it('reports an id that is not a UUID', () => {
    const { problem } = fieldsFromJourney(map, { id: '55c1a6a0f1b811e1a7df001c', type: 'Thing', updated_at: null });
    expect(problem).toContain('is not a UUID');
  });
});

describe('files', () => {
  const withPhoto: ObjectMap = {
    ...map,
    fields: [{ column: 'photo', field: 'Photo', kind: 'blob', attachment: 'photo' }],
  };
  const seen = (object: Record<string, unknown>) =>
    fieldsFromJourney(withPhoto, { ...object, id, type: 'Thing', updated_at: null });

  it('reads files by their id, and by their address once they are uploaded', () => {
    const original = 'https://journey.example.com/photo';
    const column = 'photo';
    expect(seen({ Photo_id: id, Photo: { state: 'uploaded', original } }).attachments).toEqual([
      { column, id, state: 'uploaded', url: original },
    ]);
    for (const state of ['pending', 'missing', 'untrusted'])
      expect(seen({ Photo_id: id, Photo: { state, original } }).attachments).toEqual([
        { column, id, state, url: null },
      ]);
    expect(seen({ Photo_id: id }).attachments).toEqual([{ column, id, state: null, url: null }]);
    expect(seen({ Photo_id: null, Photo: null })).toEqual({ fields: { photo: null }, attachments: [], problem: null });
    expect(seen({})).toEqual({ fields: { photo: null }, attachments: [], problem: null });
    expect(seen({ Photo: { state: 'uploaded', original } }).problem).toContain('a file without an id');
  });

  it('writes files in full, under a name that Journey accepts', () => {
    const photo = { bytes: Buffer.from('abc'), fileName: 'Fäden (1).JPG', mediaType: 'image/jpeg' };
    expect(fieldsToJourney(withPhoto, { photo: 'sha256:ab' }, { photo })).toEqual({
      Photo: { base64: 'YWJj', filename: 'faden _1_.jpg' },
    });
    expect(fieldsToJourney(withPhoto, { photo: null })).toEqual({ Photo: null });
    expect(() => fieldsToJourney(withPhoto, { photo: 'sha256:ab' })).toThrow('thing.photo');
  });

  it('writes file names that Journey accepts, whatever they are in Helium', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        expect(journeyFileName(name)).toMatch(/^[a-z0-9_\-. ]{1,100}$/);
      }),
    );
    expect(journeyFileName(`${'x'.repeat(200)}.pdf`)).toMatch(/^x{96}\.pdf$/);
    expect(journeyFileName('  ')).toBe('file');
  });
});

function allNull(): JourneyFields {
  const written = fieldsToJourney(map, Object.fromEntries(map.fields.map(({ column }) => [column, null])));
  if (written instanceof UnsupportedValue) throw new Error(written.reason);
  return written;
}

import { expect, test } from 'vitest';
import { changedFields, createFields, getValue } from './fields.ts';
import { type Edit, mergeIntoHelium } from './merge.ts';
import { absentRecord } from './record-state.fixture.ts';
import { planJourneyWrite } from './record-state.ts';

const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];
const withValue = (name: string, value: string | null) => Object.fromEntries([[name, value]]);

test.each(names)('keeps a column named %s, and finds no value where there is none', (name) => {
  const fields = createFields();
  expect(getValue(fields, name)).toBeNull();
  expect(getValue({}, name)).toBeNull();
  fields[name] = 'value';
  expect(Object.entries(fields)).toEqual([[name, 'value']]);
  expect(Object.entries(changedFields({}, fields))).toEqual([[name, 'value']]);
});

test.each(names)('takes the only value of a column named %s of which nothing is known', (name) => {
  const edit: Edit = {
    base: { remark: 'same' },
    expected: { remark: 'same' },
    after: { remark: 'same', ...withValue(name, 'from Journey') },
    changedAtMs: 1,
    isListed: false,
    pending: [{ number: 1, method: 'patch', fields: { remark: 'same' }, stage: 'sent', row: null }],
    deletedAtMs: null,
    isMissingUnlogged: false,
  };
  const row = { fields: { remark: 'same', ...withValue(name, null) }, getWrittenAtMs: () => 2_000 };
  const { write, conflicts } = mergeIntoHelium(edit, row, 'helium');
  expect(conflicts).toEqual([]);
  expect(typeof write === 'object' && Object.entries(write ?? {})).toContainEqual([name, 'from Journey']);
  const state = { ...absentRecord, journey: { remark: 'same' } };
  expect(planJourneyWrite(state, { remark: 'same', ...withValue(name, null) })).toBeNull();
});

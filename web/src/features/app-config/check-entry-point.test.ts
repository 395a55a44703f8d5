import { expect, test } from 'vitest';
import { checkEntryPoint, fieldsOf } from './check-entry-point.ts';

const stored = { 'A:b': 5, 'A:c': 20, 'processViewResponse:List': 15 };
const isNew = fieldsOf(null, stored);

test('a new entry point is checked field by field and expects what is stored under its name', () => {
  expect(checkEntryPoint(isNew, null, stored).fault?.field).toBe('scope');
  expect(checkEntryPoint({ ...isNew, isView: true }, null, stored).fault?.field).toBe('name');
  expect(checkEntryPoint({ ...isNew, unit: 'A', name: 'b' }, null, stored)).toMatchObject({
    fault: { field: 'timeout' },
    summary: '',
  });
  expect(checkEntryPoint({ ...isNew, unit: ' A', name: 'b', timeoutMins: 10 }, null, stored)).toEqual({
    entryPoint: 'A:b',
    expected: 5,
    fault: null,
    isTaken: false,
    summary: 'A:b is set to 5 min already; saving replaces that.',
  });
});

test('an update expects the old value and refuses the name of another entry point', () => {
  const fields = fieldsOf('A:b', stored);
  expect(fields).toEqual({ isView: false, unit: 'A', name: 'b', timeoutMins: 5 });
  expect(checkEntryPoint(fields, 'A:b', stored)).toMatchObject({
    expected: 5,
    isTaken: false,
    summary: 'Set to 5 min now.',
  });
  expect(checkEntryPoint({ ...fields, name: 'd' }, 'A:b', stored)).toMatchObject({
    expected: 5,
    isTaken: false,
    summary: 'Replaces A:b.',
  });
  expect(checkEntryPoint({ ...fields, name: 'c' }, 'A:b', stored).isTaken).toBe(true);
  expect(checkEntryPoint(fields, 'A:b', {}).summary).toBe('A:b has been removed meanwhile.');
  expect(fieldsOf('processViewResponse:List', stored)).toMatchObject({ isView: true, unit: '', name: 'List' });
});

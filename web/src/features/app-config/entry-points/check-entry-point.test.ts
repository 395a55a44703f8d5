import { expect, test } from 'vitest';
import { checkEntryPoint, getInitialFields } from './check-entry-point.ts';

const stored = { 'A:b': 5, 'A:c': 20, 'processViewResponse:List': 15 };
const isNew = getInitialFields(null, stored);

test('validates a new entry point field by field and expects the value stored under its name', () => {
  expect(checkEntryPoint(isNew, null, stored, null).error?.field).toBe('scope');
  expect(checkEntryPoint({ ...isNew, isView: true }, null, stored, null).error?.field).toBe('name');
  expect(checkEntryPoint({ ...isNew, unit: 'A', name: 'b' }, null, stored, null)).toMatchObject({
    error: { field: 'timeout' },
    summary: 'A:b is already set to 5 min; saving replaces it.',
  });
  expect(checkEntryPoint({ ...isNew, unit: 'A', name: 'new' }, null, stored, null).summary).toBe('');
  expect(checkEntryPoint({ ...isNew, unit: ' A', name: 'b', timeoutMins: 10 }, null, stored, null)).toEqual({
    entryPoint: 'A:b',
    expected: 5,
    changedMins: null,
    error: null,
    isTaken: false,
    storedMins: 5,
    summary: 'A:b is already set to 5 min; saving replaces it.',
  });
});

test('expects the old value on an update and rejects the name of another entry point', () => {
  const fields = getInitialFields('A:b', stored);
  expect(fields).toEqual({ isView: false, unit: 'A', name: 'b', timeoutMins: 5 });
  expect(checkEntryPoint(fields, 'A:b', stored, 5)).toMatchObject({
    expected: 5,
    isTaken: false,
    summary: 'Currently 5 min.',
  });
  expect(checkEntryPoint({ ...fields, name: 'd' }, 'A:b', stored, 5)).toMatchObject({
    expected: 5,
    isTaken: false,
    summary: 'Replaces A:b.',
  });
  expect(checkEntryPoint({ ...fields, name: 'c' }, 'A:b', stored, 5).isTaken).toBe(true);
  expect(checkEntryPoint(fields, 'A:b', {}, 5).summary).toBe('A:b was removed by another user.');
  expect(getInitialFields('processViewResponse:List', stored)).toMatchObject({ isView: true, unit: '', name: 'List' });
});

test('expects the value that was shown when the form opened, and reports that another user changed it', () => {
  const fields = getInitialFields('A:b', stored);
  expect(checkEntryPoint(fields, 'A:b', { ...stored, 'A:b': 30 }, 5)).toMatchObject({
    expected: 5,
    changedMins: 30,
    summary: 'Another user changed it from 5 min to 30 min, after you opened it.',
  });
  expect(checkEntryPoint(fields, 'A:b', { ...stored, 'A:b': 30 }, 30)).toMatchObject({
    expected: 30,
    changedMins: null,
  });
  const same = { ...fields, timeoutMins: 30 };
  expect(checkEntryPoint(same, 'A:b', { ...stored, 'A:b': 30 }, 5)).toMatchObject({ expected: 30, changedMins: null });
});

import { describe, expect, it } from 'vitest';
import { checkDraft } from './check-draft.ts';
import { storedConfig } from './draft.fixture.ts';
import { type Draft, paths, toDraft } from './draft.ts';

const validDraft = toDraft(storedConfig());
const checkChange = (change: Draft) => checkDraft({ ...validDraft, ...change }, validDraft);

it('accepts a stored configuration, and requires a password for a new one', () => {
  expect(checkChange({})).toEqual([]);
  expect(checkDraft(validDraft, null)).toEqual([{ field: paths.password, reason: 'is missing' }]);
});

describe('a draft is rejected immediately for', () => {
  it.each([
    [paths.skipTables, 'herd,', /comma/],
    [paths.skipTables, 'herd,,stock', /extra comma/],
    [paths.skipTables, 'herd, stock', /must not contain spaces/],
    [paths.skipTables, 'herd,Herd', /twice/],
    [paths.skipObjectTypes, '1st', /not a valid name/],
    [paths.changeLogMinVersion, '9223372036854775808', /at most 9223372036854775807/],
    [paths.oplogMinVersion, '-1', /must be a whole number/],
    [paths.oplogMinVersion, '', /must be a whole number/],
    [paths.journeyUrl, '', /missing/],
    [paths.journeyUrl, 'run.journeyapps.com', /must have the form/],
    [paths.journeyUrl, 'https://run-testing-us.journeyapps.com/api/v3/x', /must end in/],
    [paths.journeyUrl, 'https://me:secret@run-testing-us.journeyapps.com/api/v4/x', /must not contain a user name/],
    [paths.userName, ' ', /missing/],
    [`${paths.enrollment}.enrolledFieldName`, 'clinic_id', /_id/],
    [`${paths.enrollment}.enrolledFieldName`, 'date', /reserved/],
    [`${paths.enrollment}.journeyObjectName`, 'USER', /capitals/],
  ])('%s %j', (field, text, reason) => {
    expect(checkChange({ [field]: text })).toEqual([{ field, reason: expect.stringMatching(reason) }]);
  });
});

it('reports a list with too many names once, however many of them are invalid', () => {
  const text = Array.from({ length: 100_000 }, () => '-').join();
  expect(checkChange({ [paths.skipTables]: text })).toEqual([
    { field: paths.skipTables, reason: 'must have at most 1000 names' },
  ]);
});

it.each([
  [paths.journeyUrl, 'https://run-testing-us.journeyapps.com/api/v4/'],
  [paths.journeyUrl, 'https://run-testing-us.journeyapps.com'],
  [paths.changeLogMinVersion, '9223372036854775807'],
  [paths.skipTables, ''],
])('accepts %s %j', (field, text) => {
  expect(checkChange({ [field]: text })).toEqual([]);
});

it('requires the password again for another host', () => {
  const address = { [paths.journeyUrl]: 'https://run-staging-us.journeyapps.com/api/v4/5f0000000000000000000001' };
  expect(checkChange(address)).toEqual([{ field: paths.password, reason: expect.stringMatching(/on another host/) }]);
  expect(checkChange({ ...address, [paths.password]: 'secret' })).toEqual([]);
});

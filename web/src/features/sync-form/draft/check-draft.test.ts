import { describe, expect, it } from 'vitest';
import { checkDraft } from './check-draft.ts';
import { storedConfig } from './draft.fixture.ts';
import { type Draft, draftOf, paths } from './draft.ts';

const sound = draftOf(storedConfig());
const problemsOf = (change: Draft) => checkDraft({ ...sound, ...change }, sound);

it('finds nothing in what is stored, and asks for a password where none is', () => {
  expect(problemsOf({})).toEqual([]);
  expect(checkDraft(sound, null)).toEqual([{ field: paths.password, reason: 'is missing' }]);
});

describe('a draft is told at once of', () => {
  it.each([
    [paths.skipTables, 'herd,', /comma/],
    [paths.skipTables, 'herd,,stock', /comma too many/],
    [paths.skipTables, 'herd, stock', /no spaces/],
    [paths.skipTables, 'herd,Herd', /twice/],
    [paths.skipObjectTypes, '1st', /not a name/],
    [paths.changeLogMinVersion, '9223372036854775808', /more than 9223372036854775807/],
    [paths.oplogMinVersion, '-1', /not a number/],
    [paths.oplogMinVersion, '', /not a number/],
    [paths.journeyUrl, '', /missing/],
    [paths.journeyUrl, 'run.journeyapps.com', /is not written/],
    [paths.journeyUrl, 'https://run-testing-us.journeyapps.com/api/v3/x', /must end in/],
    [paths.journeyUrl, 'https://me:secret@run-testing-us.journeyapps.com/api/v4/x', /no user name/],
    [paths.userName, ' ', /missing/],
    [`${paths.enrollment}.enrolledFieldName`, 'clinic_id', /_id/],
    [`${paths.enrollment}.enrolledFieldName`, 'date', /reserved/],
    [`${paths.enrollment}.journeyObjectName`, 'USER', /capitals/],
  ])('%s %j', (field, text, reason) => {
    expect(problemsOf({ [field]: text })).toEqual([{ field, reason: expect.stringMatching(reason) }]);
  });
});

it.each([
  [paths.journeyUrl, 'https://run-testing-us.journeyapps.com/api/v4/'],
  [paths.journeyUrl, 'https://run-testing-us.journeyapps.com'],
  [paths.changeLogMinVersion, '9223372036854775807'],
  [paths.skipTables, ''],
])('takes %s %j', (field, text) => {
  expect(problemsOf({ [field]: text })).toEqual([]);
});

it('needs the password again for another host', () => {
  const address = { [paths.journeyUrl]: 'https://run-staging-us.journeyapps.com/api/v4/5f0000000000000000000001' };
  expect(problemsOf(address)).toEqual([{ field: paths.password, reason: expect.stringMatching(/on another host/) }]);
  expect(problemsOf({ ...address, [paths.password]: 'secret' })).toEqual([]);
});

import { expect, it } from 'vitest';
import { compareFields, getChanges } from './changes.ts';
import { storedConfig } from './draft.fixture.ts';
import { paths, toDraft } from './draft.ts';

const base = toDraft(storedConfig());

it('lists changes by field, and reports only that the password is new', () => {
  const draft = { ...base, enabled: false, [paths.skipTables]: '', [paths.password]: 'open sesame' };
  expect(getChanges(base, base)).toEqual([]);
  const changes = getChanges(base, draft).map(({ label, before, after }) => [label, before, after]);
  expect(changes).toEqual([
    ['Enabled', 'on', 'off'],
    ['Journey password', '********', 'new password'],
    ['Change Log Skip Tables', 'herd,stock_on_hand', null],
  ]);
});

it('lists every filled-in field of a new configuration', () => {
  const changes = getChanges(null, base);
  expect(changes.map(({ before }) => before)).toEqual(changes.map(() => null));
  expect(changes).toContainEqual(expect.objectContaining({ label: 'Mode', after: 'Single device per user' }));
  expect(changes.some(({ path }) => path === paths.skipObjectTypes)).toBe(false);
});

it('compares the edits of two users field by field and picks the winner of each', () => {
  const draft = { ...base, enabled: false, [paths.skipTables]: 'herd', [paths.password]: 'open sesame' };
  const next = { ...base, [paths.skipTables]: '', [paths.userName]: 'thabo' };
  expect(
    compareFields(base, draft, next).map(({ path, theirs, mine, winner }) => [path, theirs, mine, winner]),
  ).toEqual([
    ['enabled', undefined, 'off', 'mine'],
    [paths.userName, 'thabo', undefined, 'theirs'],
    [paths.password, undefined, 'new password', 'mine'],
    [paths.skipTables, null, 'herd', 'mine'],
  ]);
  expect(compareFields(base, base, base)).toEqual([]);
});

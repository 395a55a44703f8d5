import { expect, it } from 'vitest';
import { changesOf, rivalriesOf } from './changes.ts';
import { storedConfig } from './draft.fixture.ts';
import { draftOf, paths } from './draft.ts';

const base = draftOf(storedConfig());

it('tells the difference by field, and of a password only that there is a new one', () => {
  const draft = { ...base, enabled: false, [paths.skipTables]: '', [paths.password]: 'open sesame' };
  expect(changesOf(base, base)).toEqual([]);
  const told = changesOf(base, draft).map(({ label, before, after }) => [label, before, after]);
  expect(told).toEqual([
    ['Enabled', 'on', 'off'],
    ['Journey password', '********', 'a new one'],
    ['Change Log Skip Tables', 'herd,stock_on_hand', null],
  ]);
});

it('tells all that is filled in where there is nothing yet', () => {
  const told = changesOf(null, base);
  expect(told.map(({ before }) => before)).toEqual(told.map(() => null));
  expect(told).toContainEqual(expect.objectContaining({ label: 'Mode', after: 'Single device per user' }));
  expect(told.some(({ path }) => path === paths.skipObjectTypes)).toBe(false);
});

it('tells what two people made of the same fields, and whose each would be', () => {
  const draft = { ...base, enabled: false, [paths.skipTables]: 'herd', [paths.password]: 'open sesame' };
  const next = { ...base, [paths.skipTables]: '', [paths.userName]: 'somebody' };
  expect(rivalriesOf(base, draft, next).map(({ path, theirs, mine, winner }) => [path, theirs, mine, winner])).toEqual([
    ['enabled', undefined, 'off', 'mine'],
    [paths.userName, 'somebody', undefined, 'theirs'],
    [paths.password, undefined, 'a new one', 'mine'],
    [paths.skipTables, null, 'herd', 'mine'],
  ]);
  expect(rivalriesOf(base, base, base)).toEqual([]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findApps, getSearchTexts, maxShownApps } from './find-apps.ts';

const apps = Array.from({ length: 400 }, (_, index) => ({
  id: `a${index}`,
  name: `${['Patient', 'Stock', 'Farm'][index % 3]} Register ${['Harare', 'Lusaka', 'Nairobi', 'Kampala'][index % 4]} ${index}`,
  fqdn: `app-${index}.example.org`,
  schemaName: `register_${index}`,
}));
const words = fc.array(
  fc.constantFrom('Patient', 'harare', 'STOCK', 'register', 'nai', 'a39', '_12', 'app-7', 'nowhere'),
  { maxLength: 4 },
);
const shuffledWords = words.chain((list) =>
  fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
);

function contains(texts: readonly string[], word: string): boolean {
  return texts.some((text) => text.toLowerCase().includes(word.toLowerCase()));
}

test('finds the same apps for any order of the words', () => {
  fc.assert(
    fc.property(shuffledWords, ([list, shuffled]) => {
      expect(findApps(apps, shuffled.join(' '))).toEqual(findApps(apps, list.join(' ')));
    }),
  );
});

test('shows at most 50 apps, and these and the counted ones are all matches', () => {
  fc.assert(
    fc.property(words, (list) => {
      const { best, moreCount } = findApps(apps, list.join(' '));
      const matches = apps.filter((app) => list.every((word) => contains(getSearchTexts(app), word)));
      expect(best.length).toBe(Math.min(matches.length, maxShownApps));
      expect(best.length + moreCount).toBe(matches.length);
      expect(matches).toEqual(expect.arrayContaining([...best]));
    }),
  );
});

test.each([
  ['name', 'lusaka 1'],
  ['schema', 'register_1'],
  ['fqdn', 'app-1.example'],
  ['id', 'a1'],
])('finds an app by its %s', (_, search) => {
  expect(findApps(apps, search).best.map(({ id }) => id)).toContain('a1');
});

test('ranks an app whose name starts with the word above one that only contains it', () => {
  const [first, second] = [
    { id: '1', name: 'Cold Chain', fqdn: '', schemaName: '' },
    { id: '2', name: 'Chain of Custody', fqdn: '', schemaName: '' },
  ];
  expect(findApps([first, second], 'chain').best).toEqual([second, first]);
});

import { expect, it } from 'vitest';
import { splitWords } from './split-words.ts';

it('keeps the space after a word apart, which a word that moves as a whole would not draw', () => {
  expect(splitWords('Parcels:importDeliveries failed:  no answer')).toEqual([
    'Parcels:importDeliveries',
    ' ',
    'failed:',
    '  ',
    'no',
    ' ',
    'answer',
  ]);
  expect(splitWords(' a ').join('')).toBe(' a ');
});

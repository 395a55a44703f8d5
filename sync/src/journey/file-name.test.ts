import { expect, it } from 'vitest';
import { createFileName } from './file-name.ts';

it.each([
  ['image/jpeg', '7.jpg'],
  ['application/zip', '7'],
])('names a file of the type %s by its id: %s', (mediaType, name) => {
  expect(createFileName('7', mediaType)).toBe(name);
});

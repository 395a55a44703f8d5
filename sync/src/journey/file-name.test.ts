import { expect, it } from 'vitest';
import { getFileName } from './file-name.ts';

it.each([
  ['https://j.example.com/files/Me%20%26%20you.jpg', 'image/png', 'Me & you.jpg'],
  ['https://j.example.com/attachments/7/original', 'image/jpeg', '7.jpg'],
  ['/attachments/7/original?v=1.2', 'application/pdf', '7.pdf'],
  ['https://j.example.com/attachments/7/original', 'application/zip', '7'],
  ['https://j.example.com/files/100%.pdf', 'application/pdf', '100%.pdf'],
])('names the file at %s of type %s as %s', (url, mediaType, name) => {
  expect(getFileName({ id: '7', url }, mediaType)).toBe(name);
});

import { expect, it } from 'vitest';
import { findFileName } from './file-name.ts';

const object = 'https://j.example.com/attachments/7/original';

it.each([
  [undefined, 'https://j.example.com/files/Me%20%26%20you.jpg', 'Me & you.jpg'],
  [undefined, object, undefined],
  [undefined, `${object}?v=1.2`, undefined],
  [undefined, 'https://j.example.com/files/100%.pdf', '100%.pdf'],
  ['attachment; filename="field 1.jpg"', object, 'field 1.jpg'],
  ['attachment; filename="say \\"hi\\".jpg"', object, 'say "hi".jpg'],
  ['inline; filename=field.jpg; size=5', object, 'field.jpg'],
  [`attachment; filename="x.jpg"; filename*=UTF-8''caf%C3%A9%201.jpg`, object, 'café 1.jpg'],
  ['attachment; filename="../../etc/passwd"', object, 'passwd'],
  ['attachment; filename="..\\\\a.jpg"', object, 'a.jpg'],
  ['attachment; filename=""', 'https://j.example.com/b.jpg', 'b.jpg'],
  ['attachment', object, undefined],
])('with the content disposition %s, names the file at %s as %s', (disposition, url, name) => {
  expect(findFileName(disposition, url)).toBe(name);
});

// cspell:ignore ffffd ftypavif ftypheic ftypmp WEBPVP
import { expect, it } from 'vitest';
import { createPhoto } from './create-photo.fixture.ts';
import { type FileType, findContentProblem, findImageType, hasEndMark } from './file-content.ts';

const photo: FileType = { kind: 'photo' };
const jpeg = createPhoto(200);
const fromHex = (...parts: string[]) => Buffer.from(parts.join(''), 'hex');
const png = fromHex('89504e470d0a1a0a', '0000000049454e44ae426082');
const gif = Buffer.concat([Buffer.from('GIF89a'), fromHex('0100010000', '2c00000000010001000002', '024c0100', '3b')]);
const webp = Buffer.concat([Buffer.from('RIFF'), fromHex('0c000000'), Buffer.from('WEBPVP8 data')]);
const pdf = Buffer.from('%PDF-1.7\n%%EOF\n1 0 obj\n%%EOF\n');
const svg = Buffer.from('<?xml version="1.0"?>\n<!-- drawn --><svg xmlns="http://www.w3.org/2000/svg"/>');

it.each<[string, Buffer]>([
  ['image/jpeg', jpeg],
  ['image/png', png],
  ['image/gif', gif],
  ['image/webp', webp],
  ['image/tiff', Buffer.from('II*\0rest')],
  ['image/bmp', Buffer.from('BM file')],
  ['image/heic', Buffer.concat([fromHex('00000018'), Buffer.from('ftypheic')])],
  ['image/avif', Buffer.concat([fromHex('00000018'), Buffer.from('ftypavif')])],
])('recognizes %s by its first bytes, and accepts it as a photo of an unknown type', (type, bytes) => {
  expect(findImageType(bytes)).toBe(type);
  expect(findContentProblem(photo, { bytes, mediaType: type })).toBeUndefined();
  expect(findContentProblem(photo, { bytes, mediaType: 'application/octet-stream' })).toBeUndefined();
  expect(findContentProblem(photo, { bytes, mediaType: 'text/html' })).toContain('type text/html');
});

it.each<[string, string, string]>([
  ['an MP4 video', 'image/heic', '\0\0\0\x18ftypmp42'],
  ['an SVG of another type', 'image/png', svg.toString()],
  ['an XML error of the type of an SVG', 'image/svg+xml', '<?xml version="1.0"?><Error/>'],
  ['a web page with a drawing', 'image/svg+xml', '<!doctype html><html><svg></svg></html>'],
  ['text', 'image/jpeg', 'preparing'],
  ['nothing', 'image/jpeg', ''],
])('does not accept %s as a photo', (_what, mediaType, text) => {
  expect(findContentProblem(photo, { bytes: Buffer.from(text, 'latin1'), mediaType })).toBeDefined();
});

it('accepts an SVG as a signature', () => {
  expect(findContentProblem({ kind: 'signature' }, { bytes: svg, mediaType: 'image/svg+xml' })).toBeUndefined();
});

const page = '<!doctype html>';
it.each<[string, string, string, boolean]>([
  ['any', 'text/html', page, true],
  ['any', 'application/json', '{}', true],
  ['any', 'text/plain', '', false],
  ['application/pdf', 'application/pdf', '%PDF-1.7', true],
  ['application/pdf', 'application/octet-stream', '%PDF-1.7', true],
  ['application/pdf', 'application/pdf', page, false],
  ['application/pdf', 'text/html', '%PDF-1.7', false],
  ['image/gif', 'image/png', png.toString('latin1'), false],
  ['image/*', 'image/png', png.toString('latin1'), true],
  ['application/json', 'application/json', '{"valid":true}', true],
  ['text/html', 'text/html', page, true],
  ['text/xml', 'text/xml', '<?xml version="1.0"?><farm/>', true],
  ['text/csv', 'text/csv', 'name,age', true],
  ['text/csv', 'text/csv', '[first],[second]', true],
  ['text/csv', 'text/csv', '{"error":"try again"}', false],
  ['text/csv', 'text/csv', '<?xml version="1.0"?><Error/>', false],
  ['text/csv', 'text/csv', `\n ${page}`, false],
  ['application/zip', '', 'PK\x03\x04', true],
])(
  'a field with the media %s takes a file of the type %j with the content %j: %s',
  (media, mediaType, text, isTaken) => {
    const content = { bytes: Buffer.from(text, 'latin1'), mediaType };
    expect(findContentProblem({ kind: 'attachment', media }, content) === undefined).toBe(isTaken);
  },
);

/** Returns the lengths at which a file can be cut and appears to be whole. */
const findParts = (bytes: Buffer) => [...bytes.keys()].filter((length) => hasEndMark(bytes.subarray(0, length)));

it.each<[string, Buffer]>([
  ['JPEG', jpeg],
  ['PNG', png],
  ['GIF', gif],
  ['WebP', webp],
])('finds the end mark of a whole %s file, and of no part of it', (_type, bytes) => {
  expect(hasEndMark(bytes)).toBe(true);
  expect(findParts(bytes)).toEqual([]);
});

it('takes a PDF for whole after each of its revisions', () => {
  expect(hasEndMark(pdf)).toBe(true);
  expect(findParts(pdf)).toEqual([14, 15, 28]);
});

it('finds the end of a JPEG with restart markers, several scans and fill bytes', () => {
  const scan = 'ffda0008010100003f00';
  const bytes = fromHex('ffd8', 'ffffe10004ffd9', scan, '11ff0022ffd033', 'ffc40003aa', scan, '44', 'ffffd9');
  expect(hasEndMark(bytes)).toBe(true);
  expect(hasEndMark(Buffer.concat([bytes, Buffer.from('more')]))).toBe(false);
});

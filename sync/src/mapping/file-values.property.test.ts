import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alignFile } from '../record/file-value.ts';
import { journeyFileName, nameFile, toFieldFile } from './file-values.ts';

const hash = `sha256:${'a'.repeat(64)}`;
const field = { column: 'photo', isNamed: true };
const id = '6b0f1c1e-0c59-4d0f-9d4e-0a3a9d4b9f11';
/** Any name, and those that were made up. */
const fileName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ maxLength: 20 }).map((name) => `${name}.jpg`),
  fc.constantFrom('', 'photo', 'Photo', id, `${id}.jpg`, `${id.toUpperCase()}.PDF`),
);
const toValue = (name: string) => toFieldFile(field, hash, name);
/** How a row's file without a name is read. */
const toBlob = (name: string) => ({ bytes: Buffer.from('a'), fileName: name || 'photo', mediaType: 'image/jpeg' });

test('a file that is synced to Journey and back is equal, also when Journey does not state its name', () => {
  fc.assert(
    fc.property(fileName, fc.boolean(), (name, isStated) => {
      const sent = toValue(name);
      const blob = nameFile(field, toBlob(name), hash, sent);
      const comesBack = toValue(isStated ? journeyFileName(blob?.fileName ?? '') : `${id}.jpg`);
      expect(alignFile(comesBack, sent)).toBe(sent);
      if (isStated) expect(comesBack).toBe(sent);
    }),
  );
});

test("a file with any name is equal in Helium after it was synced there, and Journey's form of a name is stable", () => {
  fc.assert(
    fc.property(fileName, (name) => {
      const received = toValue(name || `${id}.jpg`);
      expect(toValue(toBlob(name).fileName)).toBe(received);
      expect(journeyFileName(journeyFileName(name))).toBe(journeyFileName(name));
    }),
  );
});

test('a name that was made up is no other name of the same file, and a real one is', () => {
  const real = toValue('Farm.JPG');
  expect(real).toBe(`${hash}/farm.jpg`);
  for (const madeUp of ['', 'photo', `${id}.jpg`]) {
    expect(toValue(madeUp)).toBe(`${hash}/`);
    expect(alignFile(toValue(madeUp), real)).toBe(real);
    expect(alignFile(real, toValue(madeUp))).toBe(real);
  }
  expect(alignFile(toValue('other.jpg'), real)).toBe(toValue('other.jpg'));
});

test('a field without a name compares contents only, and so does a value whose name is not known', () => {
  expect(toFieldFile({ column: 'photo' }, hash, 'a.jpg')).toBe(hash);
  expect(alignFile(toValue('a.jpg'), hash)).toBe(hash);
  expect(alignFile(hash, toValue('a.jpg'))).toBe(toValue('a.jpg'));
  expect(alignFile(`sha256:${'b'.repeat(64)}`, hash)).toBe(`sha256:${'b'.repeat(64)}`);
});

test('a file is sent under its own name, or under the known one when Helium has none, and never as another file', () => {
  const known = toValue('known.jpg');
  expect(nameFile(field, toBlob('Known.JPG'), hash, known)?.fileName).toBe('Known.JPG');
  expect(nameFile(field, toBlob(''), hash, known)?.fileName).toBe('known.jpg');
  expect(nameFile(field, toBlob('other.jpg'), hash, known)).toBeNull();
  expect(nameFile(field, toBlob('known.jpg'), `sha256:${'b'.repeat(64)}`, known)).toBeNull();
});

/** Names files as Journey does, so that the same file is the same value on both sides. */
import type { HeliumBlob } from '../record/blob.ts';
import { alignFile, getFileName, toFileValue } from '../record/file-value.ts';
import type { FieldMap } from './object-map.ts';

const maxFileNameLength = 100;

/**
 * Journey accepts lower-case letters, digits, spaces and `_ - .`. A long name keeps its end, which
 * contains the file type.
 */
export function journeyFileName(fileName: string): string {
  const plain = fileName
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9_\-. ]/g, '_')
    .trim();
  return plain.slice(-maxFileNameLength).trim() || 'file';
}

/** Returns a name of at most this many characters that is the same in Journey's form. */
export function shortenFileName(fileName: string, maxLength: number): string {
  const end = fileName.slice(-maxLength);
  const inJourney = journeyFileName(fileName);
  return end === fileName || journeyFileName(end) === inJourney ? end : inJourney;
}

/** A file whose name Journey does not state is named by its id in Helium. */
const idName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.\w+)?$/;

type FileField = Pick<FieldMap, 'column' | 'isNamed'>;

/**
 * Returns the value of a file in this field. A name that was made up counts as none: the file's id,
 * and the column, under which a file without a name is sent.
 *
 * @param hash `sha256:<hex>` of its bytes. @param fileName as either side states it; '' for none
 */
export function toFieldFile({ column, isNamed = false }: FileField, hash: string, fileName: string): string {
  if (!isNamed) return hash;
  const name = fileName === '' ? '' : journeyFileName(fileName);
  return toFileValue(hash, idName.test(name) || name === journeyFileName(column) ? '' : name);
}

/**
 * Returns the file under the name that the value has, where it has none of its own; null when it is
 * not the value's file.
 *
 * @param hash `sha256:<hex>` of its bytes
 */
export function nameFile(field: FileField, blob: HeliumBlob, hash: string, value: string): HeliumBlob | null {
  const own = toFieldFile(field, hash, blob.fileName);
  if (own !== value && alignFile(own, value) !== value) return null;
  const name = getFileName(value);
  return name === '' || getFileName(own) !== '' ? blob : { ...blob, fileName: name };
}

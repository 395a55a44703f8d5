/** Reads the photos, signatures, and attachments in a request. */
import { createHash } from 'node:crypto';
import { stableId } from '../kit/stable-id.ts';
import { invalidValue } from './api-problem.ts';
import type { Field } from './data-model.ts';
import { isLowerCaseUuid, isRecord } from './json.ts';

export interface Upload {
  readonly id: string;
  readonly fileName: string;
  readonly content: Buffer;
}

const fileName = /^[a-z0-9_\-. ]{1,255}$/;
const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Returns the id for the field, and the bytes if they were sent. Our choice: the same bytes under
 * the same name are the same attachment of a deployment, so writing them again changes nothing.
 */
export function readUpload(field: Field, value: unknown, deployment: string): { id: string | null; upload?: Upload } {
  if (value === null) return { id: null };
  if (!isRecord(value)) throw invalidValue(`Invalid ${field.type} for field '${field.name}'.`);
  if (value.base64 === undefined) return { id: readUploadId(field.name, value.id ?? null) };
  const { base64, filename } = value;
  if (typeof filename !== 'string' || !fileName.test(filename))
    throw invalidValue(
      `Invalid attachment filename for field '${field.name}': only lower-case letters, digits, spaces, and _ - . are allowed.`,
    );
  if (typeof base64 !== 'string' || base64.length % 4 !== 0 || !base64Pattern.test(base64))
    throw invalidValue(`Invalid base64 for field '${field.name}'.`);
  const content = Buffer.from(base64, 'base64');
  const digest = createHash('sha256').update(content).digest('hex');
  const id = stableId(`${deployment} ${digest} ${filename}`);
  return { id, upload: { id, fileName: filename, content } };
}

export function readUploadId(name: string, value: unknown): string | null {
  if (value === null || isLowerCaseUuid(value)) return value;
  throw invalidValue(`Invalid id for '${name}'.`);
}

import { createHash } from 'node:crypto';

/**
 * The files that both sides have. The bytes behind an id never change, so a known id needs no
 * download.
 */
export interface KnownAttachments {
  /** Returns the values of the known ids, see `record/file-value.ts`. */
  get(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Returns `sha256:<hex>` of a file's bytes. */
export function toBlobValue(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

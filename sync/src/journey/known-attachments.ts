import { createHash } from 'node:crypto';

/**
 * The cache of known Journey files. The bytes behind an id never change, so a known id needs no
 * download. A lost entry costs one download.
 */
export interface KnownAttachments {
  /** Returns the blob values, `sha256:<hex>`, of the known ids. */
  get(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  store(id: string, value: string): Promise<void>;
}

/** Returns the blob value, which `record/fields.ts` compares instead of the bytes. */
export function toBlobValue(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

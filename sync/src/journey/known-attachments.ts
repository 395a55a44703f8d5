import { createHash } from 'node:crypto';

/**
 * The files that both sides have. The bytes behind an id never change, so a known id needs no
 * download.
 */
export interface KnownAttachments {
  /** Returns the blob values, `sha256:<hex>`, of the known ids. */
  get(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Returns the blob value, which `record/fields.ts` compares instead of the bytes. */
export function toBlobValue(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

import { createHash } from 'node:crypto';

/**
 * What is remembered of Journey's files. The bytes behind an id never change, so an id that is
 * known needs no download. Forgetting costs no more than a download.
 */
export interface KnownAttachments {
  /** Blob values, `sha256:<hex>`, of those ids that are known. */
  get(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  store(id: string, value: string): Promise<void>;
}

/** As `engine/fields.ts` compares bytes. */
export function toBlobValue(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Fetches the files that entries name and nobody knows yet, so that their content can be compared and written. */
import type { HeliumBlob } from '../helium/helium-end.ts';
import type { JourneyEntry } from '../journey/journey-end.ts';
import { blobValueOf } from '../journey/known-attachments.ts';
import type { Pump } from './pump.ts';

/** So that a page of photos is never in memory at once. */
const BYTES_AT_ONCE = 32 * 1024 * 1024;

export interface EntriesWithFiles {
  readonly entries: readonly JourneyEntry[];
  readonly blobs: ReadonlyMap<string, HeliumBlob>;
}

/** The entries in their order, in as many parts as their files need. */
export async function* fetchFiles(pump: Pump, entries: readonly JourneyEntry[]): AsyncGenerator<EntriesWithFiles> {
  let part: JourneyEntry[] = [];
  let blobs = new Map<string, HeliumBlob>();
  let bytes = 0;
  for (const entry of entries) {
    const fields = { ...entry.fields };
    for (const [column, attachment] of Object.entries(entry.attachments ?? {})) {
      const blob = await pump.journey.fetchAttachment(attachment, pump.signal);
      const value = blobValueOf(blob.bytes);
      blobs.set(value, blob);
      fields[column] = value;
      bytes += blob.bytes.length;
    }
    part.push(entry.fields === null ? entry : { ...entry, fields });
    if (bytes < BYTES_AT_ONCE) continue;
    yield { entries: part, blobs };
    part = [];
    blobs = new Map();
    bytes = 0;
  }
  yield { entries: part, blobs };
}

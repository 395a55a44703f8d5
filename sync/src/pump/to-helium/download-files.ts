/** Fetches the files that entries name and nobody knows yet, so that their content can be compared and written. */
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyAttachment, JourneyEntry } from '../../journey/journey-end.ts';
import { blobValueOf } from '../../journey/known-attachments.ts';
import type { HeliumBlob } from '../../record/blob.ts';
import type { SyncContext } from '../shared/sync-context.ts';

/** So that a page of photos is never in memory at once. */
const bytesAtOnce = 32 * 1024 * 1024;

export interface EntriesWithFiles {
  readonly entries: readonly JourneyEntry[];
  readonly blobs: ReadonlyMap<string, HeliumBlob>;
}

/** The entries in their order, in as many parts as their files need. */
export async function* fetchFiles(
  context: SyncContext,
  entries: readonly JourneyEntry[],
): AsyncGenerator<EntriesWithFiles> {
  let part: JourneyEntry[] = [];
  let blobs = new Map<string, HeliumBlob>();
  let bytes = 0;
  for (const entry of entries) {
    const fields = { ...entry.fields };
    let { problem } = entry;
    for (const [column, attachment] of Object.entries(entry.attachments ?? {})) {
      const blob = await fetchFile(context, attachment);
      if (blob instanceof JourneyProblem) {
        problem ??= `The file of ${column} cannot be had: ${blob.message}`;
        continue;
      }
      const value = blobValueOf(blob.bytes);
      blobs.set(value, blob);
      fields[column] = value;
      bytes += blob.bytes.length;
    }
    part.push(entry.fields === null ? entry : { ...entry, fields, ...(problem !== undefined && { problem }) });
    if (bytes < bytesAtOnce) continue;
    yield { entries: part, blobs };
    part = [];
    blobs = new Map();
    bytes = 0;
  }
  yield { entries: part, blobs };
}

/** Trouble that is this file's alone is answered: everything else goes on without it. */
async function fetchFile(context: SyncContext, attachment: JourneyAttachment): Promise<HeliumBlob | JourneyProblem> {
  try {
    return await context.journey.fetchAttachment(attachment, context.signal);
  } catch (error) {
    const isOfFile =
      error instanceof JourneyProblem &&
      (error.failure.kind === 'not-found' ||
        error.failure.kind === 'invalid-request' ||
        error.failure.kind === 'too-large');
    if (!isOfFile) throw error;
    return error;
  }
}

/** Downloads the files of entries whose content is not known yet, to compare and write it. */
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyAttachment, JourneyEntry, JourneyGateway } from '../../journey/journey-gateway.ts';
import { toBlobValue } from '../../journey/known-attachments.ts';
import type { HeliumBlob } from '../../record/blob.ts';

/** Keeps a whole page of photos from being in memory at once. */
const maxPartBytes = 32 * 1024 * 1024;

interface FileSource {
  readonly journey: Pick<JourneyGateway, 'fetchAttachment'>;
  readonly signal: AbortSignal;
}

interface EntryPart {
  readonly part: {
    readonly entries: readonly JourneyEntry[];
    /** Files by their hashes. */
    readonly blobs: ReadonlyMap<string, HeliumBlob>;
  };
  /** Only the last part may be empty. */
  readonly isLast: boolean;
}

/** Yields the entries in order, split into as many parts as their files need. */
export async function* downloadFiles(source: FileSource, entries: readonly JourneyEntry[]): AsyncGenerator<EntryPart> {
  let part: JourneyEntry[] = [];
  let blobs = new Map<string, HeliumBlob>();
  let bytes = 0;
  for (const entry of entries) {
    const fields = { ...entry.fields };
    let { problem } = entry;
    for (const [column, attachment] of Object.entries(entry.attachments ?? {})) {
      const blob = await downloadFile(source, attachment);
      if (blob instanceof JourneyProblem) {
        problem ??= `The file of ${column} cannot be downloaded: ${blob.message}`;
        continue;
      }
      const value = toBlobValue(blob.bytes);
      blobs.set(value, blob);
      fields[column] = value;
      bytes += blob.bytes.length;
    }
    part.push(entry.fields === null ? entry : { ...entry, fields, ...(problem !== undefined && { problem }) });
    if (bytes < maxPartBytes) continue;
    yield { part: { entries: part, blobs }, isLast: false };
    part = [];
    blobs = new Map();
    bytes = 0;
  }
  yield { part: { entries: part, blobs }, isLast: true };
}

/** Returns a problem that concerns this file only, so that the other files are still downloaded. */
async function downloadFile(source: FileSource, attachment: JourneyAttachment): Promise<HeliumBlob | JourneyProblem> {
  try {
    return await source.journey.fetchAttachment(attachment, source.signal);
  } catch (error) {
    const isFileProblem =
      error instanceof JourneyProblem &&
      (error.failure.kind === 'not-found' ||
        error.failure.kind === 'invalid-request' ||
        error.failure.kind === 'too-large');
    if (!isFileProblem) throw error;
    return error;
  }
}

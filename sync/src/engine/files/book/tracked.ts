/** Finds out which files of a record wait after the entries of a page. */

import type { Backoff } from '@portal/kit/backoff';
import type { ObjectMap } from '../../../mapping/object-map.ts';
import { type Fields, getValue, type Value } from '../../../record/fields.ts';
import { isSameContent } from '../../../record/file-value.ts';
import type { Conflict } from '../../../record/merge.ts';
import { confirmCreation, type Intent } from '../../../record/record-state.ts';
import { isSkipped, seeFile, type WaitingFile } from '../../../record/waiting-file.ts';
import type { RecordFiles } from '../../../sync-state/waiting-files.store.ts';
import type { RecordEntries } from '../../to-helium/merger/merged-entry.ts';

export interface TrackedFiles {
  /** The files that wait after the page, by column. */
  readonly files: RecordFiles;
  /** Columns whose file waited before the page and does not any more. */
  readonly settled: readonly string[];
  /**
   * Files that our own writes replaced in Journey, or deleted with their record, before they were
   * downloaded.
   */
  readonly replaced: readonly ReplacedFile[];
}

interface ReplacedFile {
  readonly file: WaitingFile;
  readonly conflict: Conflict & { readonly column: string };
}

const noFiles: RecordFiles = new Map();

export function trackFiles(
  { fields: mapped }: ObjectMap,
  { entries, known }: Pick<RecordEntries, 'entries' | 'known'>,
  before: RecordFiles = noFiles,
  timing: { readonly nowMs: number; readonly backoff: Backoff },
): TrackedFiles {
  const files = new Map<string, WaitingFile>(before);
  const replaced: ReplacedFile[] = [];
  let { intents } = known;
  for (const { operation, fields, attachments = {}, changedAtMs } of entries) {
    if (fields === null) {
      if (intents.some(({ method }) => method === 'delete'))
        for (const [column, file] of files) replaced.push(toReplaced(column, file, null));
      files.clear();
      continue;
    }
    if (operation === 'create') intents = confirmCreation(intents, fields);
    for (const { column, kind } of mapped) {
      if (kind !== 'blob') continue;
      const waiting = files.get(column);
      const isReported = Object.hasOwn(fields, column);
      const seen = Object.hasOwn(attachments, column) ? attachments[column] : undefined;
      if (!isReported && seen) {
        // After a lost response, the new file may be the one that we sent.
        const own = waiting && waiting.journeyId !== seen.id ? findOwnFile(known.journey, intents, column) : null;
        if (waiting && own !== null && !isSkipped(waiting)) replaced.push(toReplaced(column, waiting, own));
        files.set(column, seeFile(waiting, seen, { ...timing, changedAtMs: changedAtMs ?? 0 }));
        continue;
      }
      if (!isReported || !waiting) continue;
      const value = getValue(fields, column);
      // Ours was taken for a device's if its entry was read before the answer to our call.
      const isReplaced = seen?.id !== waiting.journeyId && intents.some((intent) => writes(intent, column, value));
      // The conflict of a skipped file was recorded when ours was sent.
      if (!isSkipped(waiting) && isReplaced) replaced.push(toReplaced(column, waiting, value));
      files.delete(column);
    }
  }
  return { files, settled: [...before.keys()].filter((column) => !files.has(column)), replaced };
}

function toReplaced(column: string, file: WaitingFile, helium: Value): ReplacedFile {
  return { file, conflict: { column, helium, journey: file.journeyId, winner: 'helium' } };
}

function writes({ method, fields }: Intent, column: string, value: Value): boolean {
  return method !== 'delete' && Object.hasOwn(fields, column) && isSameContent(fields[column], value);
}

/** Returns a file that Helium has sent and of which Journey's id is not known. */
function findOwnFile(journey: Fields | null, intents: readonly Intent[], column: string): Value {
  const sent = intents.findLast(({ stage, fields }) => stage !== 'acknowledged' && getValue(fields, column) !== null);
  const value = getValue(sent?.fields, column);
  return isSameContent(value, getValue(journey, column)) ? null : value;
}

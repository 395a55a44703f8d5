/** Finds out which files of a record wait after the entries of a page. */

import type { Backoff } from '@portal/kit/backoff';
import type { ObjectMap } from '../../mapping/object-map.ts';
import { getValue, type Value } from '../../record/fields.ts';
import type { Conflict } from '../../record/merge.ts';
import type { Intent } from '../../record/record-state.ts';
import { seeFile, type WaitingFile } from '../../record/waiting-file.ts';
import type { RecordFiles } from '../../sync-state/waiting-files.store.ts';
import type { RecordEntries } from './merge-entries.ts';

export interface TrackedFiles {
  /** The files that wait after the page, by column. */
  readonly files: RecordFiles;
  /** Columns whose file waited before the page and does not any more. */
  readonly settled: readonly string[];
  /** Files that our own writes replaced in Journey before they were downloaded. */
  readonly conflicts: readonly Conflict[];
}

const noFiles: RecordFiles = new Map();

export function trackFiles(
  { fields: mapped }: ObjectMap,
  { entries, known }: Pick<RecordEntries, 'entries' | 'known'>,
  before: RecordFiles = noFiles,
  timing: { readonly nowMs: number; readonly backoff: Backoff },
): TrackedFiles {
  const files = new Map<string, WaitingFile>(before);
  const conflicts: Conflict[] = [];
  for (const { fields, attachments = {}, changedAtMs } of entries) {
    if (fields === null) {
      files.clear();
      continue;
    }
    for (const { column, kind } of mapped) {
      if (kind !== 'blob') continue;
      const waiting = files.get(column);
      const isReported = Object.hasOwn(fields, column);
      const seen = Object.hasOwn(attachments, column) ? attachments[column] : undefined;
      if (!isReported && seen) {
        // After a lost response, the new file may be the one that we sent.
        const own = waiting && waiting.journeyId !== seen.id ? findOwnFile(known, column) : null;
        if (waiting && own !== null)
          conflicts.push({ column, helium: own, journey: waiting.journeyId, winner: 'helium' });
        files.set(column, seeFile(waiting, seen, { ...timing, changedAtMs: changedAtMs ?? 0 }));
        continue;
      }
      if (!isReported || !waiting) continue;
      const value = getValue(fields, column);
      if (known.intents.some((intent) => writes(intent, column, value)))
        conflicts.push({ column, helium: value, journey: waiting.journeyId, winner: 'helium' });
      files.delete(column);
    }
  }
  return { files, settled: [...before.keys()].filter((column) => !files.has(column)), conflicts };
}

function writes({ method, fields }: Intent, column: string, value: Value): boolean {
  return method !== 'delete' && Object.hasOwn(fields, column) && fields[column] === value;
}

/** Returns a file that Helium has sent and of which Journey's id is not known. */
function findOwnFile({ journey, intents }: Pick<RecordEntries['known'], 'journey' | 'intents'>, column: string): Value {
  const sent = intents.findLast(({ stage, fields }) => stage !== 'acknowledged' && getValue(fields, column) !== null);
  const value = getValue(sent?.fields, column);
  return value === getValue(journey, column) ? null : value;
}

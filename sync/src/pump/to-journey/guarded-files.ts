/** The files of Journey that a write of Helium must not overwrite yet. */
import type { Conflict } from '../../record/merge.ts';
import type { SeenFile } from '../../record/waiting-file.ts';
import type { RecordFiles } from '../../sync-state/waiting-files.store.ts';

/** Journey's ids of files, by column. */
export type FileIds = ReadonlyMap<string, string>;

/** Finds the files of an object that Helium deletes without ever having had them. */
export function findUnseenFiles(
  waiting: RecordFiles,
  isSafe: (journeyId: string) => boolean,
): ReadonlyMap<string, SeenFile> {
  const lost = new Map<string, SeenFile>();
  for (const [column, { journeyId: id, url }] of waiting)
    if (url !== null && !isSafe(id)) lost.set(column, { id, url, state: null });
  return lost;
}

export function toConflicts(lost: ReadonlyMap<string, SeenFile>): Conflict[] {
  return [...getIds(lost)].map(([column, journey]) => ({ column, helium: null, journey, winner: 'helium' }));
}

export function getIds(files: ReadonlyMap<string, SeenFile> | undefined): FileIds {
  return new Map([...(files ?? [])].map(([column, { id }]) => [column, id]));
}

export function getFileIds(files: RecordFiles | undefined): FileIds {
  return new Map([...(files ?? [])].map(([column, { journeyId }]) => [column, journeyId]));
}

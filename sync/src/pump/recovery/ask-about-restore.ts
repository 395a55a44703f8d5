/** Compares both sides without changing anything, and asks an operator what to do about a restore. */
import { saveQuestion } from '../../sync-state/questions.store.ts';
import type { RestoreFound } from '../shared/restore-found.ts';
import { type SyncContext, withLockedState } from '../shared/sync-context.ts';

export async function askAboutRestore(context: SyncContext, found: RestoreFound): Promise<void> {
  await withLockedState(context, (db) =>
    saveQuestion(db, context, {
      kind: 'restored',
      side: found.side,
      asOf: found.asOf?.toISOString() ?? null,
      reason: found.message,
      objects: [],
    }),
  );
}

import type { RequestOf } from '@portal/contract/endpoint';
import { getConflictFile, getConflicts, restoreConflictFile, reviewConflicts } from '@portal/contract/sync/conflicts';
import type { ConflictReview } from '../integration/operator-actions.ts';
import { InvalidFields } from './invalid-fields.ts';
import { pageLimit } from './page-limit.ts';
import type { SyncRouter } from './sync-router.ts';

/** Conflicts, and the files that lost one. */
export function conflictRoutes({ parts, routeTo, logAndWake }: SyncRouter): void {
  const { operations } = parts;

  routeTo(getConflicts, (integration, { input: { after, limit = pageLimit, reviewed, table, column } }) => {
    const isReviewed = reviewed && reviewed === 'yes';
    const field = table === undefined ? undefined : { table, column: column || null };
    return operations.readConflicts(integration, { after, limit, isReviewed, field });
  });

  routeTo(reviewConflicts, async (integration, { caller, input }) => {
    const result = await operations.reviewConflicts(integration, { ...toReview(input), by: caller.user });
    await logAndWake(integration, `${caller.user} reviewed conflicts: ${result.reviewed}.`);
    return result;
  });

  routeTo(getConflictFile, async (integration, { input, reply }) => {
    const { fileName, size, bytes } = await operations.readConflictFile(integration, input.no);
    reply.header('content-length', size).header('x-file-name', encodeURIComponent(fileName));
    return bytes;
  });

  routeTo(restoreConflictFile, async (integration, { caller, input }) => {
    const { table, id, column } = await operations.restoreConflictFile(integration, input.no);
    await logAndWake(integration, `${caller.user} restored the file ${column} of ${table}/${id}.`);
    return { message: `The file is in ${column} of ${table} ${id} again. Sync treats it as an edit in Helium.` };
  });
}

function toReview({ take, value, nos, field, after }: RequestOf<typeof reviewConflicts>): Omit<ConflictReview, 'by'> {
  if (take === 'value' && nos?.length !== 1)
    throw new InvalidFields([{ field: 'value', reason: 'a value is written into one record only' }]);
  const what = { take, value: value ?? null };
  if (nos !== undefined && field === undefined) return { ...what, selection: { numbers: nos } };
  if (field !== undefined && nos === undefined) return { ...what, selection: { field, after: after ?? null } };
  throw new InvalidFields([{ field: 'nos', reason: 'either conflict numbers or a field is required' }]);
}

import { getEnrollment, removeUnlisted, retryEnrollment } from '@portal/contract/sync/enrollment-status';
import { Conflict } from '@portal/kit/problems';
import type { SyncRouter } from './sync-router.ts';

/** Users and devices in Journey. */
export function enrollmentRoutes({ parts, routeTo, logAndWake }: SyncRouter): void {
  const { operations } = parts;

  routeTo(getEnrollment, (integration) => operations.readEnrollment(integration));

  routeTo(retryEnrollment, async (integration, { caller, input }) => {
    const retried = await operations.retryEnrollment(integration, input.subjects ?? null);
    await logAndWake(integration, `${caller.user} retried enrollment: ${retried}.`);
    return { retried };
  });

  routeTo(removeUnlisted, async (integration, { caller, input: { subject } }) => {
    const removed = await operations.removeUnlisted(integration, subject);
    if (removed === 0) throw new Conflict(`No removal of ${subject} waits any more. Reload the list.`);
    await logAndWake(integration, `${caller.user} consented to remove ${removed} ${subject}.`, 'WARNING');
    return { message: `Up to ${removed} ${subject} will be removed now, if Journey still does not list them.` };
  });
}

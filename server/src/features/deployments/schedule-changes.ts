import type { ScheduleChange } from '@portal/contract/deployments';
import { readFacts, scheduleLabels } from '@portal/contract/deployments-fields';
import { formatInstant } from './deployment-times.ts';
import type { ScheduleContent } from './schedules.store.ts';

/**
 * Lists the fields that changed; all fields if the schedule is new.
 *
 * @param product What the platform's apps are called.
 */
export function listChanges(
  before: ScheduleContent | null,
  after: ScheduleContent,
  { product, timeZone }: { readonly product: string; readonly timeZone: string },
): ScheduleChange['changes'] {
  // The description is derived from the tag.
  const { releaseDescription: _, ...labels } = scheduleLabels(product);
  const read = (content: ScheduleContent) => readFacts(content, labels, (date) => formatInstant(date, timeZone));
  const former = before && read(before);
  return read(after)
    .map(({ label, text }, at) => ({ field: label, before: former?.[at]?.text ?? null, after: text }))
    .filter((change) => change.before !== change.after);
}

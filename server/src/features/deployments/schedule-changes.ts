import type { ScheduleChange } from '@portal/contract/deployments';
import { readFacts, scheduleLabels } from '@portal/contract/deployments-fields';
import { sayInstant } from './deployment-place.ts';
import type { ScheduleContent } from './schedules.store.ts';

/**
 * The fields that became something else; all of them where there was nothing before.
 *
 * @param product What the apps of the platform are called.
 */
export function changesOf(
  before: ScheduleContent | null,
  after: ScheduleContent,
  { product, timeZone }: { readonly product: string; readonly timeZone: string },
): ScheduleChange['changes'] {
  // The description is the tag's name, so it changes with the tag.
  const { releaseDescription: _, ...labels } = scheduleLabels(product);
  const read = (content: ScheduleContent) => readFacts(content, labels, (date) => sayInstant(date, timeZone));
  const former = before && read(before);
  return read(after)
    .map(({ label, text }, at) => ({ field: label, before: former?.[at]?.text ?? null, after: text }))
    .filter((change) => change.before !== change.after);
}

import type { ScheduleChange } from '@portal/contract/deployments';
import { sayInstant } from './deployment-place.ts';
import type { ScheduleContent } from './schedules.store.ts';

/** In words for people, in the order people read them in. */
function wordsOf(content: ScheduleContent, product: string, timeZone: string): ReadonlyMap<string, string> {
  return new Map([
    ['Deployment Date', sayInstant(content.deploymentDate, timeZone)],
    ['Team', content.team],
    ['Project', content.jiraProject],
    ['Data Source', content.dataSource],
    [product, content.appNames.join(', ')],
    ['Schemas', content.appSchemas.join(', ')],
    ['Release Name', content.releaseName],
    ['Release Group', content.releaseGroup],
    ['Release Tag', content.releaseTag],
    ['Instructions', content.instructions],
  ]);
}

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
  const former = before && wordsOf(before, product, timeZone);
  return [...wordsOf(after, product, timeZone)]
    .map(([field, words]) => ({ field, before: former?.get(field) ?? null, after: words }))
    .filter((change) => change.before !== change.after);
}

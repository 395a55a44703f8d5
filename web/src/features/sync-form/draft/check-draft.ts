import { checkEnrollmentNames } from '@portal/contract/check-enrollment-names';
import type { ConfigProblem } from '@portal/contract/sync-config';
import {
  findJourneyAddressError,
  findNameListError,
  findPasswordError,
  findUserNameError,
} from '@portal/contract/sync-config-rules';
import { configOf, type Draft, paths } from './draft.ts';

/**
 * What can be said of a draft without asking anybody, by the rules of the sync service. `stored` is
 * null for a new one.
 */
export function checkDraft(draft: Draft, stored: Draft | null): ConfigProblem[] {
  const text = (path: string) => String(draft[path] ?? '');
  const problems: ConfigProblem[] = [];
  const refuse = (field: string, reason: string | null) => {
    if (reason !== null && !problems.some((problem) => problem.field === field)) problems.push({ field, reason });
  };
  refuse(paths.journeyUrl, findJourneyAddressError(text(paths.journeyUrl)));
  refuse(paths.userName, findUserNameError(text(paths.userName)));
  refuse(
    paths.password,
    findPasswordError({
      sent: text(paths.password) || null,
      address: text(paths.journeyUrl),
      storedAddress: stored && String(stored[paths.journeyUrl] ?? ''),
    }),
  );
  refuse(paths.skipTables, findNameListError(text(paths.skipTables)));
  refuse(paths.skipObjectTypes, findNameListError(text(paths.skipObjectTypes)));
  const read = configOf(draft, undefined);
  const others = 'config' in read ? checkEnrollmentNames(read.config.journeyToHeliumEnrollment) : read.problems;
  for (const { field, reason } of others) refuse(field, reason);
  return problems;
}

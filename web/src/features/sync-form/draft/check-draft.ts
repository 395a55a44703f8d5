import { checkEnrollmentNames } from '@portal/contract/sync/check-enrollment-names';
import type { ConfigProblem } from '@portal/contract/sync/config';
import {
  findJourneyAddressError,
  findNameListError,
  findPasswordError,
  findUserNameError,
} from '@portal/contract/sync/config-rules';
import { type Draft, paths, toConfig } from './draft.ts';

/**
 * Checks a draft in the browser by the rules of the sync service. `stored` is null for a new
 * configuration.
 */
export function checkDraft(draft: Draft, stored: Draft | null): ConfigProblem[] {
  const text = (path: string) => String(draft[path] ?? '');
  const reasons = new Map<string, string>();
  const addProblem = (field: string, reason: string | null) => {
    if (reason !== null && !reasons.has(field)) reasons.set(field, reason);
  };
  addProblem(paths.journeyUrl, findJourneyAddressError(text(paths.journeyUrl)));
  addProblem(paths.userName, findUserNameError(text(paths.userName)));
  addProblem(
    paths.password,
    findPasswordError({
      sent: text(paths.password) || null,
      address: text(paths.journeyUrl),
      storedAddress: stored && String(stored[paths.journeyUrl] ?? ''),
    }),
  );
  addProblem(paths.skipTables, findNameListError(text(paths.skipTables)));
  addProblem(paths.skipObjectTypes, findNameListError(text(paths.skipObjectTypes)));
  const read = toConfig(draft, undefined);
  const others = 'config' in read ? checkEnrollmentNames(read.config.journeyToHeliumEnrollment) : read.problems;
  for (const { field, reason } of others) addProblem(field, reason);
  return Array.from(reasons, ([field, reason]) => ({ field, reason }));
}

import type { Action } from '@portal/contract/actions';
import type { RequestOf } from '@portal/contract/endpoint';
import { getRefusals, type Refusals } from '@portal/contract/session';
import { call } from '../api/call.ts';
import { slowStaleTimeMs, useCall } from '../api/use-call.ts';
import { useRefusal } from './use-session.ts';

type Subject = RequestOf<typeof getRefusals>['subjects'][number];

/** The limits of the contract. */
const maxSubjects = 25;
const maxApps = 20;

/**
 * Returns why the user may not perform an action on all of these apps; null when they may, or while
 * that is not known. The server refuses the action in any case.
 */
export function useAppRefusal(action: Action, ...appIds: readonly string[]): string | null {
  return useKnownAppRefusal(action, ...appIds) ?? null;
}

/** Like `useAppRefusal`, but undefined while it is not known. */
export function useKnownAppRefusal(action: Action, ...appIds: readonly string[]): string | null | undefined {
  return useSubjectRefusal(action, { appIds: appIds.slice(0, maxApps) }, appIds.length > 0);
}

/**
 * Like `useAppRefusal`, for what belongs to a team; '' for none.
 *
 * @param appIds The apps of a deployment.
 */
export function useTeamRefusal(action: Action, team: string, appIds?: readonly string[]): string | null {
  return useKnownTeamRefusal(action, team, appIds) ?? null;
}

/** Like `useTeamRefusal`, but undefined while it is not known. */
export function useKnownTeamRefusal(
  action: Action,
  team: string,
  appIds?: readonly string[],
): string | null | undefined {
  return useSubjectRefusal(action, { team, ...(appIds && { appIds: appIds.slice(0, maxApps) }) }, team !== '');
}

/** Like `useAppRefusal`, for a database server; '' for none. */
export function useHostRefusal(action: Action, databaseHost: string): string | null {
  return useSubjectRefusal(action, { databaseHost }, databaseHost !== '') ?? null;
}

function useSubjectRefusal(action: Action, subject: Subject, enabled: boolean): string | null | undefined {
  const general = useRefusal(action);
  const load = useCall(
    getRefusals,
    { subjects: [subject] },
    { enabled: enabled && general === null, staleTime: slowStaleTimeMs, send: sendTogether },
  );
  const isKnown = !enabled || load.isError || load.data !== undefined;
  return general ?? load.data?.[0]?.[action] ?? (isKnown ? null : undefined);
}

interface Waiting {
  readonly subjects: readonly Subject[];
  readonly settle: (result: Promise<Refusals[]>) => void;
}

let waiting: Waiting[] = [];

/** Sends what the components of a screen ask for at the same time as one call. */
function sendTogether(_: typeof getRefusals, { subjects }: RequestOf<typeof getRefusals>): Promise<Refusals[]> {
  if (waiting.length === 0) setTimeout(flush);
  return new Promise((resolve) => waiting.push({ subjects, settle: resolve }));
}

function flush(): void {
  const all = waiting;
  waiting = [];
  for (let at = 0; at < all.length; at += maxSubjects) {
    const part = all.slice(at, at + maxSubjects);
    const answers = call(getRefusals, { subjects: part.flatMap((one) => one.subjects) });
    for (const [index, { settle }] of part.entries()) settle(answers.then((found) => found.slice(index, index + 1)));
  }
}

import { checkEnrollmentNames } from '@portal/contract/check-enrollment-names';
import type { ConfigProblem } from '@portal/contract/sync-config';
import { configOf, type Draft, namesIn, paths } from './draft.ts';

const mostVersion = 2n ** 63n - 1n;

/** What can be said of a draft without asking anybody; the sync service judges it again, whole. */
export function checkDraft(draft: Draft, { isNew }: { readonly isNew: boolean }): ConfigProblem[] {
  const text = (path: string) => String(draft[path] ?? '');
  const problems: ConfigProblem[] = [];
  const refuse = (field: string, reason: string | null) => {
    if (reason !== null && !problems.some((problem) => problem.field === field)) problems.push({ field, reason });
  };
  refuse(paths.changeLogMinVersion, faultOfVersion(text(paths.changeLogMinVersion)));
  refuse(paths.oplogMinVersion, faultOfVersion(text(paths.oplogMinVersion)));
  refuse(paths.skipTables, faultOfNames(text(paths.skipTables)));
  refuse(paths.skipObjectTypes, faultOfNames(text(paths.skipObjectTypes)));
  refuse(paths.journeyUrl, faultOfJourneyUrl(text(paths.journeyUrl)));
  refuse(paths.userName, text(paths.userName).trim() === '' ? 'is missing' : null);
  if (isNew) refuse(paths.password, text(paths.password) === '' ? 'is missing' : null);
  const read = configOf(draft, undefined);
  const others = 'config' in read ? checkEnrollmentNames(read.config.journeyToHeliumEnrollment) : read.problems;
  for (const { field, reason } of others) refuse(field, reason);
  return problems;
}

function faultOfVersion(version: string): string | null {
  if (!/^\d{1,19}$/.test(version)) return 'is not a number of 0 or more';
  return BigInt(version) > mostVersion ? `is more than ${mostVersion}` : null;
}

function faultOfNames(text: string): string | null {
  const names = namesIn(text);
  const lower = names.map((name) => name.toLowerCase());
  if (/\s/.test(text)) return 'must have no spaces: names with a comma between them';
  if (text.endsWith(',')) return 'ends in a comma, which must not be entered';
  if (names.includes('')) return 'has a comma too many';
  const odd = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_$]*$/.test(name));
  if (odd !== undefined) return `"${odd}" is not a name`;
  const twice = names.find((_, at) => lower.indexOf(lower[at] ?? '') !== at);
  return twice === undefined ? null : `"${twice}" is there twice`;
}

function faultOfJourneyUrl(url: string): string | null {
  if (url.trim() === '') return 'is missing';
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return 'is not written https://host/api/v4/id';
  const { pathname, search, hash, username } = new URL(url);
  if (username !== '') return 'must carry no user name or password';
  if (search !== '' || hash !== '') return 'must end with the path';
  return /^\/?$|\/api\/v4(\/[^/]+)?\/?$/.test(pathname) ? null : 'must end in /api/v4/ and the id of the deployment';
}

/** The deployment's id at the end of its address; null where it is not written. */
export function deploymentIdIn(url: string): string | null {
  return /\/api\/v4\/([0-9a-f]{24})\/?$/i.exec(url.trim())?.[1] ?? null;
}

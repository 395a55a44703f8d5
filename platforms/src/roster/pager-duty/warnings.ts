import type { UnreadSpan } from './slices.ts';

/** More warnings of a kind are counted. */
const maxListed = 5;

export function describeUnread(unread: readonly UnreadSpan[]): string[] {
  return unread.map(({ from, to, problem }) => `The shifts from ${day(from)} to ${day(to)} are not known. ${problem}`);
}

export function describeOutdated(outdated: readonly UnreadSpan[]): string[] {
  return outdated.map(
    ({ from, to, problem }) => `The shifts from ${day(from)} to ${day(to)} could not be read again. ${problem}`,
  );
}

/** @param starts undefined where the start cannot be read either */
export function describeUnreadable(starts: readonly (string | undefined)[]): string[] {
  const known = [...new Set(starts)];
  const listed = known
    .slice(0, maxListed)
    .map((start) => `A shift ${start ? `that starts at ${minute(start)}` : 'without a start'} cannot be read.`);
  return known.length > maxListed ? [...listed, `${known.length - maxListed} more shifts cannot be read.`] : listed;
}

/** @param problems why the name of a person is not known, by id */
export function describeUnnamed(problems: ReadonlyMap<string, string>): string[] {
  const listed = [...problems]
    .slice(0, maxListed)
    .map(([personId, problem]) => `The name of PagerDuty's user ${personId} is not known. ${problem}`);
  return problems.size > maxListed ? [...listed, `${problems.size - maxListed} more names are not known.`] : listed;
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * Orders versions exactly as Maven 3.8.7 does (`ComparableVersion` of maven-artifact), also those
 * that its specification leaves open: a '-', and a change between digits and letters, starts a
 * nested list, and what is neutral at the end of a list is dropped.
 */

type Item = NumberItem | WordItem | ListItem;

interface NumberItem {
  readonly kind: 'number';
  readonly value: bigint;
}

interface WordItem {
  readonly kind: 'word';
  /** Orders words as texts. */
  readonly rank: string;
}

interface ListItem {
  readonly kind: 'list';
  readonly items: Item[];
}

const released = '';
const releaseStages = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', released, 'sp'];
const releasedRank = String(releaseStages.indexOf(released));
const synonyms = new Map([
  ['cr', 'rc'],
  ['ga', released],
  ['final', released],
  ['release', released],
]);
/** Directly before a digit. */
const abbreviations = new Map([
  ['a', 'alpha'],
  ['b', 'beta'],
  ['m', 'milestone'],
]);

/**
 * Returns less than zero when `a` comes before `b`, and zero for equivalent versions such as 1.0
 * and 1.0.0-final.
 */
export function compareVersions(a: string, b: string): number {
  return compareItems(parseVersion(a), parseVersion(b));
}

/**
 * Whether the version is a snapshot, such as `2.0-SNAPSHOT` or its build `2.0-20260131.101500-3`.
 */
export function isSnapshot(version: string): boolean {
  return /(^|[.-])snapshot$/i.test(version) || /-\d{8}\.\d{6}-\d+$/.test(version);
}

/** The words of versions that are tried before a release. Maven knows the first ones only. */
const preReleaseWords = /^(alpha|beta|milestone|rc|cr|a|b|m|pre|preview|ea|eap|dev|test|nightly|canary)$/;

/** Whether the version comes before a release, such as `2.0-rc1` or `2.0-preview`. */
export function isPreRelease(version: string): boolean {
  return (version.toLowerCase().match(/[a-z]+/g) ?? []).some((word) => preReleaseWords.test(word));
}

function parseVersion(version: string): ListItem {
  const whole: ListItem = { kind: 'list', items: [] };
  const lists = [whole];
  let { items } = whole;
  const nest = () => {
    const list: ListItem = { kind: 'list', items: [] };
    items.push(list);
    lists.push(list);
    items = list.items;
  };
  const tokens = version.toLowerCase().match(/\d+|[^\d.-]+|[.-]/g) ?? [];
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (isSeparator(token)) {
      // Nothing between two separators counts as zero.
      if (before === undefined || isSeparator(before)) items.push({ kind: 'number', value: 0n });
      if (token === '-') nest();
      continue;
    }
    if (before !== undefined && !isSeparator(before)) nest();
    if (isNumber(token)) {
      items.push({ kind: 'number', value: BigInt(token) });
      continue;
    }
    // Not before a separator: 1.x.2 and 1.x2 differ.
    const next = tokens[index + 1];
    if (items.length > 0 && !(next !== undefined && isSeparator(next))) nest();
    items.push(toWord(token, next));
  }
  // From the inside out: a list that becomes empty is neutral itself.
  for (const list of lists.toReversed()) dropNeutralEnd(list.items);
  return whole;
}

function isSeparator(token: string): boolean {
  return token === '.' || token === '-';
}

function isNumber(token: string): boolean {
  return /^\d/.test(token);
}

function toWord(written: string, next: string | undefined): WordItem {
  const isBeforeDigit = next !== undefined && isNumber(next);
  const word = (isBeforeDigit ? abbreviations.get(written) : undefined) ?? synonyms.get(written) ?? written;
  const stage = releaseStages.indexOf(word);
  return { kind: 'word', rank: stage < 0 ? `${releaseStages.length}-${word}` : String(stage) };
}

/** Nested lists stay, and what is neutral before them goes. */
function dropNeutralEnd(items: Item[]): void {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item && isNeutral(item)) items.splice(index, 1);
    else if (item?.kind !== 'list') return;
  }
}

function isNeutral(item: Item): boolean {
  if (item.kind === 'number') return item.value === 0n;
  return item.kind === 'word' ? item.rank === releasedRank : item.items.length === 0;
}

/** Of different kinds, a word comes first, then a list, then a number. */
const kindOrder = { word: 0, list: 1, number: 2 } as const;

function compareItems(a: Item | undefined, b: Item | undefined): number {
  if (a === undefined) return b === undefined ? 0 : -compareWithNothing(b);
  if (b === undefined) return compareWithNothing(a);
  if (a.kind === 'number' && b.kind === 'number') return compareValues(a.value, b.value);
  if (a.kind === 'word' && b.kind === 'word') return compareValues(a.rank, b.rank);
  if (a.kind !== 'list' || b.kind !== 'list') return kindOrder[a.kind] - kindOrder[b.kind];
  for (let index = 0; index < Math.max(a.items.length, b.items.length); index += 1) {
    const order = compareItems(a.items[index], b.items[index]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Compares an item with the end of a shorter version. */
function compareWithNothing(item: Item): number {
  if (item.kind === 'number') return item.value === 0n ? 0 : 1;
  if (item.kind === 'word') return compareValues(item.rank, releasedRank);
  for (const inner of item.items) {
    const order = compareWithNothing(inner);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues<Value extends string | bigint>(a: Value, b: Value): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

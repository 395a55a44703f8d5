import type { App } from '@portal/contract/apps';

/** Something the palette can go to. */
export interface Command {
  readonly id: string;
  readonly label: string;
  /** What tells it apart from others of the same name. */
  readonly detail: string;
  readonly kind: 'screen' | 'app' | 'act' | 'other';
  /** A route, or the name of an act. */
  readonly to: string;
  /** Search parameters of the route. */
  readonly search?: Readonly<Record<string, string>>;
  /** Other words it is found by. */
  readonly words?: string;
}

/** The screens an app has, in the order of the actions in the apps list. */
const appActions = [
  { name: 'View', path: 'app' },
  { name: 'Config', path: 'config' },
  { name: 'Logs', path: 'logs' },
  { name: 'Scheduled Functions', path: 'scheduledfunctions' },
] as const;

const mostApps = 6;
const mostOthers = 6;
const mostCommands = 30;

/**
 * What matches the search, best first. Words that name an action ("logs", "conf") choose among an
 * app's screens, the others find the app by name, id, fqdn or schema name; `first` are app ids that
 * win a tie (starred, recent). `others` are found only when they are looked for.
 */
export function findCommands(
  search: string,
  apps: readonly App[],
  screens: readonly Command[],
  first: readonly string[],
  others: readonly Command[] = [],
): readonly Command[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const score = ({ label, words: more = '' }: Command) => scoreOf(words, [label, more]);
  const screensFound = best(screens, score, screens.length);
  const othersFound = words.length === 0 ? [] : best(others, score, mostOthers);
  const appsFound = appCommands(words, apps, first);
  return [...screensFound, ...appsFound, ...othersFound].slice(0, mostCommands);
}

function appCommands(words: readonly string[], apps: readonly App[], first: readonly string[]): Command[] {
  const actions = appActions.filter(({ name }) => words.some((word) => startsAWord(name.toLowerCase(), word)));
  const appWords = words.filter((word) => !appActions.some(({ name }) => startsAWord(name.toLowerCase(), word)));
  // Nothing but an action's name may be meant as an app's name too ("Config Store"): then the app
  // is looked for whole.
  const isAction = actions.length > 0 && appWords.length > 0;
  const favour = (app: App) => (first.includes(app.id) ? 0.5 : 0);
  const found =
    words.length === 0
      ? first.flatMap((id) => apps.find((app) => app.id === id) ?? [])
      : best(apps, (app) => plus(scoreOf(isAction ? appWords : words, textsOf(app)), favour(app)), mostApps);
  return found.slice(0, mostApps).flatMap((app) => commandsOf(app, isAction ? actions : appActions));
}

function plus(score: number, more: number): number {
  return score === 0 ? 0 : score + more;
}

function textsOf(app: App): string[] {
  return [app.name, app.schemaName, app.fqdn, app.id];
}

function commandsOf(app: App, actions: readonly (typeof appActions)[number][]): Command[] {
  return actions.map(({ name, path }) => ({
    id: `${path}/${app.id}`,
    label: `${name} · ${app.name}`,
    detail: app.fqdn,
    kind: 'app',
    to: `/${path}/${encodeURIComponent(app.id)}`,
  }));
}

/** The candidates with a score, highest first; those that are equal keep their order. */
function best<T>(candidates: readonly T[], score: (candidate: T) => number, most: number): T[] {
  return candidates
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .filter((scored) => scored.score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map((scored) => scored.candidate);
}

/**
 * How well the words match: 0 when one of them is nowhere. A whole text counts most, then its
 * beginning, then the beginning of a word in it, then anywhere; earlier texts count more than later
 * ones.
 */
export function scoreOf(words: readonly string[], texts: readonly string[]): number {
  if (words.length === 0) return 1;
  let sum = 0;
  for (const word of words) {
    let bestOfWord = 0;
    texts.forEach((text, index) => {
      bestOfWord = Math.max(bestOfWord, placeScore(text.toLowerCase(), word) - index);
    });
    if (bestOfWord === 0) return 0;
    sum += bestOfWord;
  }
  return sum / words.length;
}

function placeScore(text: string, word: string): number {
  if (text === word) return 40;
  if (text.startsWith(word)) return 30;
  if (startsAWord(text, word)) return 20;
  return text.includes(word) ? 10 : 0;
}

function startsAWord(text: string, word: string): boolean {
  let from = text.indexOf(word);
  while (from >= 0) {
    if (from === 0 || !/[a-z0-9]/.test(text.charAt(from - 1))) return true;
    from = text.indexOf(word, from + 1);
  }
  return false;
}

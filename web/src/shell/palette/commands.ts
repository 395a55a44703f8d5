import type { App } from '@portal/contract/apps';

/** A command in the palette. */
export interface Command {
  readonly id: string;
  readonly label: string;
  /** Distinguishes commands with the same label. */
  readonly detail: string;
  readonly kind: 'screen' | 'app' | 'action' | 'other';
  /** A route, or the name of an action. */
  readonly to: string;
  /** Search parameters of the route. */
  readonly search?: Readonly<Record<string, string>>;
  /** Additional search keywords. */
  readonly keywords?: string;
}

/** The screens of an app, in the order of the actions in the apps list. */
const appActions = [
  { name: 'View', path: 'app' },
  { name: 'Config', path: 'config' },
  { name: 'Logs', path: 'logs' },
  { name: 'Scheduled Functions', path: 'scheduledfunctions' },
] as const;

const maxApps = 6;
const maxOthers = 6;
const maxCommands = 30;

/**
 * Returns the commands that match the search, best first. Words that name an action ("logs",
 * "conf") filter the screens of an app; other words match its name, id, fqdn or schema name.
 * `preferredIds` are app ids that win a tie (starred, recent). `others` are included only for a
 * non-empty search.
 */
export function findCommands(
  search: string,
  apps: readonly App[],
  screens: readonly Command[],
  preferredIds: readonly string[],
  others: readonly Command[] = [],
): readonly Command[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const score = ({ label, keywords = '' }: Command) => scoreTexts(words, [label, keywords]);
  const screensFound = pickBest(screens, score, screens.length);
  const othersFound = words.length === 0 ? [] : pickBest(others, score, maxOthers);
  const appsFound = appCommands(words, apps, preferredIds);
  return [...screensFound, ...appsFound, ...othersFound].slice(0, maxCommands);
}

function appCommands(words: readonly string[], apps: readonly App[], preferredIds: readonly string[]): Command[] {
  const actions = appActions.filter(({ name }) => words.some((word) => startsWord(name.toLowerCase(), word)));
  const appWords = words.filter((word) => !appActions.some(({ name }) => startsWord(name.toLowerCase(), word)));
  // A search of only an action's name may also mean an app ("Config Store"), so it matches app
  // names.
  const isAction = actions.length > 0 && appWords.length > 0;
  const getBonus = (app: App) => (preferredIds.includes(app.id) ? 0.5 : 0);
  const found =
    words.length === 0
      ? preferredIds.flatMap((id) => apps.find((app) => app.id === id) ?? [])
      : pickBest(
          apps,
          (app) => addBonus(scoreTexts(isAction ? appWords : words, getSearchTexts(app)), getBonus(app)),
          maxApps,
        );
  return found.slice(0, maxApps).flatMap((app) => toCommands(app, isAction ? actions : appActions));
}

function addBonus(score: number, bonus: number): number {
  return score === 0 ? 0 : score + bonus;
}

function getSearchTexts(app: App): string[] {
  return [app.name, app.schemaName, app.fqdn, app.id];
}

function toCommands(app: App, actions: readonly (typeof appActions)[number][]): Command[] {
  return actions.map(({ name, path }) => ({
    id: `${path}/${app.id}`,
    label: `${name} · ${app.name}`,
    detail: app.fqdn,
    kind: 'app',
    to: `/${path}/${encodeURIComponent(app.id)}`,
  }));
}

/** Returns the candidates with a positive score, highest first. Equal ones keep their order. */
function pickBest<T>(candidates: readonly T[], score: (candidate: T) => number, limit: number): T[] {
  return candidates
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .filter((scored) => scored.score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map((scored) => scored.candidate);
}

/**
 * Scores how well the words match: 0 if any word is missing. A whole text scores highest, then its
 * prefix, then a word prefix, then any other match. Earlier texts score higher than later ones.
 */
export function scoreTexts(words: readonly string[], texts: readonly string[]): number {
  if (words.length === 0) return 1;
  let sum = 0;
  for (const word of words) {
    let bestWordScore = 0;
    texts.forEach((text, index) => {
      bestWordScore = Math.max(bestWordScore, scoreMatch(text.toLowerCase(), word) - index);
    });
    if (bestWordScore === 0) return 0;
    sum += bestWordScore;
  }
  return sum / words.length;
}

function scoreMatch(text: string, word: string): number {
  if (text === word) return 40;
  if (text.startsWith(word)) return 30;
  if (startsWord(text, word)) return 20;
  return text.includes(word) ? 10 : 0;
}

function startsWord(text: string, word: string): boolean {
  let from = text.indexOf(word);
  while (from >= 0) {
    if (from === 0 || !/[a-z0-9]/.test(text.charAt(from - 1))) return true;
    from = text.indexOf(word, from + 1);
  }
  return false;
}

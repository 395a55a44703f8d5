import type { App } from '@portal/contract/apps';
import { getSearchTexts } from '../../apps/find-apps.ts';
import { type Ranking, rank, scoreTexts, splitWords, startsWord } from '../../format/ranking.ts';

/** A command in the palette: it opens a route, or runs an action. */
export type Command = CommandText & (Route | { readonly kind: 'action'; readonly run: () => void });

interface CommandText {
  readonly id: string;
  readonly label: string;
  /** Distinguishes commands with the same label. */
  readonly detail: string;
  /** Additional search keywords. */
  readonly keywords?: string;
}

interface Route {
  /** A search takes what was typed to a screen, so it matches everything and comes last. */
  readonly kind: 'screen' | 'app' | 'other' | 'search';
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** The app whose configuration it changes. */
  readonly changedAppId?: string;
}

interface AppAction {
  readonly name: string;
  /** The words that select it for the app named by the other words; by default its name. */
  readonly selectedBy?: string;
  readonly path: string;
  readonly search?: Readonly<Record<string, string>>;
}

/** The screens of an app, in the order of the actions in the apps list. */
const appScreens: readonly AppAction[] = [
  { name: 'View', path: 'app' },
  { name: 'Config', path: 'config' },
  { name: 'Logs', path: 'logs' },
  { name: 'Scheduled Functions', path: 'scheduledfunctions' },
];

/** Only offered when searched for. The page asks for confirmation, or shows its form. */
const appChanges: readonly AppAction[] = [
  ...(['Disable', 'Enable', 'Lock', 'Unlock'] as const).map((name) => ({
    name: `${name}…`,
    path: 'config',
    search: { change: name.toLowerCase() },
  })),
  // "new" alone is more likely a part of an app's name.
  { name: 'New entry-point', selectedBy: 'entry-point', path: 'config', search: { change: 'new-entry-point' } },
];

const appActions = [...appScreens, ...appChanges];

/** Divisible by each number of actions. */
const maxAppCommands = 24;
const maxOthers = 6;

/** The commands for a search, and how many more apps and other entries match it. */
export interface FoundCommands {
  readonly commands: readonly Command[];
  readonly moreApps: number;
  readonly moreOthers: number;
}

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
): FoundCommands {
  const words = splitWords(search);
  const score = ({ label, keywords = '' }: Command) => scoreTexts(words, [label, keywords]);
  const screensFound = rank(screens, score, screens.length);
  const searches = others.filter(({ kind }) => kind === 'search');
  const named = others.filter(({ kind }) => kind !== 'search');
  const othersFound = rank(words.length === 0 ? [] : named, score, maxOthers);
  const appsFound = findAppCommands(words, apps, preferredIds);
  return {
    commands: [...screensFound.best, ...appsFound.best, ...othersFound.best, ...searches],
    moreApps: appsFound.moreCount,
    moreOthers: othersFound.moreCount,
  };
}

/** `moreCount` counts apps. */
function findAppCommands(
  words: readonly string[],
  apps: readonly App[],
  preferredIds: readonly string[],
): Ranking<Command> {
  if (words.length === 0) {
    const preferred = preferredIds.flatMap((id) => apps.find((app) => app.id === id) ?? []);
    return { best: toCommands(preferred, appScreens).slice(0, maxAppCommands), moreCount: 0 };
  }
  const isSelected = (text: string) => words.some((word) => startsWord(text.toLowerCase(), word));
  const selected = appActions.filter(({ name, selectedBy = name }) => isSelected(selectedBy));
  const appWords = words.filter((word) => !appActions.some(({ name }) => startsWord(name.toLowerCase(), word)));
  // A search of only an action's name may also mean an app ("Config Store"), so it matches app
  // names.
  const isAction = selected.length > 0 && appWords.length > 0;
  const actions = isAction ? selected : appScreens;
  const getBonus = (app: App) => (preferredIds.includes(app.id) ? 0.5 : 0);
  const score = (app: App) => addBonus(scoreTexts(isAction ? appWords : words, getSearchTexts(app)), getBonus(app));
  const { best, moreCount } = rank(apps, score, maxAppCommands / actions.length);
  const named = appActions.filter(({ name }) => isSelected(name));
  if (best.length > 0 || named.length === 0) return { best: toCommands(best, actions), moreCount };
  // No app has such a name, so the search means that action of any app.
  const any = rank(appWords.length > 0 ? [] : apps, (app) => 1 + getBonus(app), maxAppCommands / named.length);
  return { best: toCommands(any.best, named), moreCount: any.moreCount };
}

function addBonus(score: number, bonus: number): number {
  return score === 0 ? 0 : score + bonus;
}

function toCommands(apps: readonly App[], actions: readonly AppAction[]): Command[] {
  return apps.flatMap((app) =>
    actions.map(({ name, path, search }) => ({
      id: `${path}/${app.id}/${name}`,
      label: `${name} · ${app.name}`,
      detail: app.fqdn,
      kind: 'app',
      to: `/${path}/${encodeURIComponent(app.id)}`,
      ...(search && { search, changedAppId: app.id }),
    })),
  );
}

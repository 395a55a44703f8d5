import type { App } from '@portal/contract/apps';
import { type Ranking, rank, scoreTexts, splitWords } from '../format/ranking.ts';

/** The most apps that a list of suggestions shows. */
export const maxShownApps = 50;

/** The texts that a search for an app matches, the most important one first. */
export function getSearchTexts(app: App): string[] {
  return [app.name, app.schemaName, app.fqdn, app.id];
}

/** Finds the apps that contain every word, best first, then in the order of the list. */
export function findApps(apps: readonly App[], search: string): Ranking<App> {
  const words = splitWords(search);
  return rank(apps, (app) => scoreTexts(words, getSearchTexts(app)), maxShownApps);
}

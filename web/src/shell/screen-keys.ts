import type { Screen } from './screens.ts';

/** The letter after `g` that opens a screen, by its route. */
const lettersByRoute: Readonly<Record<string, string>> = {
  '/': 'h',
  '/apps': 'a',
  '/sync': 's',
  '/dbspy': 'd',
  '/schema-access': 'g',
  '/support-roster': 'r',
  '/deployments': 'p',
  '/audit': 'u',
};

/** Returns the screens that have a letter, in the order of the panel. */
export function getScreenKeys(screens: readonly Screen[]): { letter: string; screen: Screen }[] {
  return screens.flatMap((screen) => {
    const letter = lettersByRoute[screen.to];
    return letter === undefined ? [] : [{ letter, screen }];
  });
}

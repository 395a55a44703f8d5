import { fixedMessages } from '@portal/contract/app-config';
import { formatPlural } from '../../../format/numbers.ts';

/**
 * The effect of a change on users and functions of the app. Confirmed in Production before the
 * change is made.
 */
export interface Effect {
  readonly title: string;
  /** The label of the confirm button. */
  readonly confirmLabel: string;
  readonly sentences: readonly string[];
}

/** Describes the effect in the specified words. The quoted message is the one the server sends. */
export function getDisabledEffect(disabled: boolean): Effect {
  return disabled
    ? {
        title: 'Disable this app?',
        confirmLabel: 'Disable app',
        sentences: [
          'A disabled app refuses logins and does not run scheduled functions.',
          `Users who try to log in see: “${fixedMessages.disabled}”`,
        ],
      }
    : {
        title: 'Enable this app?',
        confirmLabel: 'Enable app',
        sentences: ['An enabled app accepts logins and runs its scheduled functions.'],
      };
}

export function getLockedEffect(locked: boolean, appCount = 1): Effect {
  const [these, apps] = appCount === 1 ? ['this app', 'app'] : [formatPlural(appCount, 'app'), 'apps'];
  return locked
    ? {
        title: `Lock ${these}?`,
        confirmLabel: `Lock ${apps}`,
        sentences: [
          'A locked app blocks logins; background processes continue.',
          `Users who try to log in see: “${fixedMessages.locked}”`,
        ],
      }
    : {
        title: `Unlock ${these}?`,
        confirmLabel: `Unlock ${apps}`,
        sentences: ['An unlocked app accepts logins.'],
      };
}

export function getMaxDbResultsEffect(from: number, to: number): Effect {
  return {
    title: 'Change max database results?',
    confirmLabel: 'Change limit',
    sentences: [
      `A query of this app may return ${formatPlural(to, 'row')} instead of ${formatPlural(from, 'row')}.`,
      to < from
        ? 'Queries that return more will fail.'
        : 'More rows per query need more memory and time on the platform.',
    ],
  };
}

import { fixedMessages } from '@portal/contract/app-config';
import { countOf } from '../../lib/format.ts';

/**
 * What a change does to the people and functions of the app; asked for before it happens in
 * Production.
 */
export interface Effect {
  readonly title: string;
  /** The verb on the button that does it. */
  readonly verb: string;
  readonly sentences: readonly string[];
}

/**
 * The specification's words say what disabling and locking do; the message is the one the server
 * sends.
 */
export function effectOfDisabled(disabled: boolean): Effect {
  return disabled
    ? {
        title: 'Disable this app?',
        verb: 'Disable app',
        sentences: [
          'A disabled app refuses logins and does not run scheduled functions.',
          `People who try are told: “${fixedMessages.disabled}”`,
        ],
      }
    : {
        title: 'Enable this app?',
        verb: 'Enable app',
        sentences: ['An enabled app accepts logins and runs its scheduled functions.'],
      };
}

export function effectOfLocked(locked: boolean): Effect {
  return locked
    ? {
        title: 'Lock this app?',
        verb: 'Lock app',
        sentences: [
          'A locked app blocks logins; background processes continue.',
          `People who try are told: “${fixedMessages.locked}”`,
        ],
      }
    : { title: 'Unlock this app?', verb: 'Unlock app', sentences: ['An unlocked app accepts logins.'] };
}

export function effectOfMaxDbResults(from: number, to: number): Effect {
  return {
    title: 'Change max database results?',
    verb: 'Change limit',
    sentences: [
      `A query of this app may return ${countOf(to, 'row')} instead of ${countOf(from, 'row')}.`,
      to < from
        ? 'Queries that return more will fail from now on.'
        : 'More rows per query need more memory and time on the platform.',
    ],
  };
}

/**
 * What becomes of an integration, for every status and everything that can happen to it. A pair
 * that is missing here does not compile.
 *
 *              enable, mend,       ┌─────────┐  halt
 *              saved enabled  ┌──▶ │ Enabled │ ─────▶ ┌────────┐
 *                             │    └─────────┘ ◀───── │ Halted │
 *                      ┌──────────┐     │    enable,  └────────┘
 *                      │ Disabled │ ◀───┴──── mend, ───────┘
 *                      └──────────┘ disable   saved
 */
import type { SyncStatus } from '@portal/contract/sync-integration';

export type StatusEvent =
  /** A person's acts. */
  | 'enable'
  | 'disable'
  | 'save-enabled'
  | 'save-disabled'
  | 'destroy'
  /**
   * What stood in the way was done away with: a cursor was moved. Unlike enabling, it leaves a
   * disabled one alone.
   */
  | 'cursor-moved'
  /** The engine's run cannot go on. */
  | 'halt'
  /** Another process runs it from here on. */
  | 'lose-lease';

export interface StatusTransition {
  readonly to: SyncStatus | 'Deleted';
  /** What the process that holds its lease does with its run. */
  readonly run: 'leave' | 'start' | 'stop' | 'restart';
  /** For whoever wished it. */
  readonly message: string;
}

const transition = (to: StatusTransition['to'], run: StatusTransition['run'], message: string): StatusTransition => ({
  to,
  run,
  message,
});

const table: Readonly<Record<SyncStatus, Readonly<Record<StatusEvent, StatusTransition>>>> = {
  Enabled: {
    enable: transition('Enabled', 'leave', 'It is enabled already.'),
    disable: transition('Disabled', 'stop', 'Disabled.'),
    'save-enabled': transition('Enabled', 'restart', 'Saved.'),
    'save-disabled': transition('Disabled', 'stop', 'Saved and disabled.'),
    destroy: transition('Deleted', 'stop', 'Deleted.'),
    'cursor-moved': transition('Enabled', 'leave', 'It is enabled.'),
    halt: transition('Halted', 'stop', 'Halted.'),
    'lose-lease': transition('Enabled', 'stop', 'Another process runs it.'),
  },
  Disabled: {
    enable: transition('Enabled', 'start', 'Enabled.'),
    disable: transition('Disabled', 'leave', 'It is disabled already.'),
    'save-enabled': transition('Enabled', 'start', 'Saved and enabled.'),
    'save-disabled': transition('Disabled', 'leave', 'Saved.'),
    destroy: transition('Deleted', 'leave', 'Deleted.'),
    'cursor-moved': transition('Disabled', 'leave', 'It stays disabled.'),
    // A run that was just ending when it was disabled: the person's word stands.
    halt: transition('Disabled', 'leave', 'It stays disabled.'),
    'lose-lease': transition('Disabled', 'leave', 'It stays disabled.'),
  },
  Halted: {
    enable: transition('Enabled', 'start', 'Enabled; it goes on where it stopped.'),
    disable: transition('Disabled', 'leave', 'Disabled.'),
    'save-enabled': transition('Enabled', 'start', 'Saved; it goes on where it stopped.'),
    'save-disabled': transition('Disabled', 'leave', 'Saved and disabled.'),
    destroy: transition('Deleted', 'leave', 'Deleted.'),
    'cursor-moved': transition('Enabled', 'start', 'It goes on.'),
    // The first reason is the one to mend.
    halt: transition('Halted', 'leave', 'It is halted already.'),
    'lose-lease': transition('Halted', 'leave', 'It stays halted.'),
  },
};

export function getTransition(status: SyncStatus, event: StatusEvent): StatusTransition {
  return table[status][event];
}

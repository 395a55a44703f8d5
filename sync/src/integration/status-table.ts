/**
 * Defines the next status of an integration for every status and event. A missing pair does not
 * compile.
 *
 *              enable,             ┌─────────┐  halt
 *              saved enabled  ┌──▶ │ Enabled │ ─────▶ ┌────────┐
 *                             │    └─────────┘ ◀───── │ Halted │
 *                      ┌──────────┐     │    enable,  └────────┘
 *                      │ Disabled │ ◀───┴──── cursor ────┘
 *                      └──────────┘ disable   moved, saved
 */
import type { SyncStatus } from '@portal/contract/sync/integration';

export type StatusEvent =
  /** Actions of a user. */
  | 'enable'
  | 'disable'
  | 'save-enabled'
  | 'save-disabled'
  | 'destroy'
  /**
   * An operator moved a cursor, which removes the cause of a halt. Unlike enabling, it does not
   * start a disabled integration.
   */
  | 'cursor-moved'
  /** The run cannot continue. */
  | 'halt'
  /** Another process runs it from now on. */
  | 'lose-lease';

export interface StatusTransition {
  readonly to: SyncStatus | 'Deleted';
  /** What the process that holds the lease does with its run. */
  readonly run: 'leave' | 'start' | 'stop' | 'restart';
  /** Shown to the user who triggered the event. */
  readonly message: string;
}

const transition = (to: StatusTransition['to'], run: StatusTransition['run'], message: string): StatusTransition => ({
  to,
  run,
  message,
});

const table: Readonly<Record<SyncStatus, Readonly<Record<StatusEvent, StatusTransition>>>> = {
  Enabled: {
    enable: transition('Enabled', 'leave', 'It is already enabled.'),
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
    disable: transition('Disabled', 'leave', 'It is already disabled.'),
    'save-enabled': transition('Enabled', 'start', 'Saved and enabled.'),
    'save-disabled': transition('Disabled', 'leave', 'Saved.'),
    destroy: transition('Deleted', 'leave', 'Deleted.'),
    'cursor-moved': transition('Disabled', 'leave', 'It remains disabled.'),
    // The run was ending while it was disabled: the user's action takes precedence.
    halt: transition('Disabled', 'leave', 'It remains disabled.'),
    'lose-lease': transition('Disabled', 'leave', 'It remains disabled.'),
  },
  Halted: {
    enable: transition('Enabled', 'start', 'Enabled; it resumes where it stopped.'),
    disable: transition('Disabled', 'leave', 'Disabled.'),
    'save-enabled': transition('Enabled', 'start', 'Saved; it resumes where it stopped.'),
    'save-disabled': transition('Disabled', 'leave', 'Saved and disabled.'),
    destroy: transition('Deleted', 'leave', 'Deleted.'),
    'cursor-moved': transition('Enabled', 'start', 'It resumes where it stopped.'),
    // The first reason is the one to fix.
    halt: transition('Halted', 'leave', 'It is already halted.'),
    'lose-lease': transition('Halted', 'leave', 'It remains halted.'),
  },
};

export function getTransition(status: SyncStatus, event: StatusEvent): StatusTransition {
  return table[status][event];
}

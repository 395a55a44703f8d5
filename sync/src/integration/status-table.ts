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
  | 'mend'
  /** The engine's run cannot go on. */
  | 'halt'
  /** Another process runs it from here on. */
  | 'lose-lease';

export interface Step {
  readonly to: SyncStatus | 'Gone';
  /** What the process that holds its lease does with its run. */
  readonly run: 'leave' | 'start' | 'stop' | 'restart';
  /** For whoever wished it. */
  readonly message: string;
}

const step = (to: Step['to'], run: Step['run'], message: string): Step => ({ to, run, message });

const table: Readonly<Record<SyncStatus, Readonly<Record<StatusEvent, Step>>>> = {
  Enabled: {
    enable: step('Enabled', 'leave', 'It is enabled already.'),
    disable: step('Disabled', 'stop', 'Disabled.'),
    'save-enabled': step('Enabled', 'restart', 'Saved.'),
    'save-disabled': step('Disabled', 'stop', 'Saved and disabled.'),
    destroy: step('Gone', 'stop', 'Deleted.'),
    mend: step('Enabled', 'leave', 'It is enabled.'),
    halt: step('Halted', 'stop', 'Halted.'),
    'lose-lease': step('Enabled', 'stop', 'Another process runs it.'),
  },
  Disabled: {
    enable: step('Enabled', 'start', 'Enabled.'),
    disable: step('Disabled', 'leave', 'It is disabled already.'),
    'save-enabled': step('Enabled', 'start', 'Saved and enabled.'),
    'save-disabled': step('Disabled', 'leave', 'Saved.'),
    destroy: step('Gone', 'leave', 'Deleted.'),
    mend: step('Disabled', 'leave', 'It stays disabled.'),
    // A run that was just ending when it was disabled: the person's word stands.
    halt: step('Disabled', 'leave', 'It stays disabled.'),
    'lose-lease': step('Disabled', 'leave', 'It stays disabled.'),
  },
  Halted: {
    enable: step('Enabled', 'start', 'Enabled; it goes on where it stopped.'),
    disable: step('Disabled', 'leave', 'Disabled.'),
    'save-enabled': step('Enabled', 'start', 'Saved; it goes on where it stopped.'),
    'save-disabled': step('Disabled', 'leave', 'Saved and disabled.'),
    destroy: step('Gone', 'leave', 'Deleted.'),
    mend: step('Enabled', 'start', 'It goes on.'),
    // The first reason is the one to mend.
    halt: step('Halted', 'leave', 'It is halted already.'),
    'lose-lease': step('Halted', 'leave', 'It stays halted.'),
  },
};

export function nextStep(status: SyncStatus, event: StatusEvent): Step {
  return table[status][event];
}

import type { SyncStatus } from '@portal/contract/sync/integration';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getTransition, type StatusEvent } from './status-table.ts';

/** The expected behavior, modeled as four facts instead of a table. */
class Model {
  exists = true;
  isEnabled: boolean;
  isHalted = false;
  isRunning: boolean;

  constructor(isEnabled: boolean) {
    this.isEnabled = isEnabled;
    this.isRunning = isEnabled;
  }

  apply(event: StatusEvent): void {
    if (event === 'destroy') this.exists = false;
    if (event === 'halt') this.isHalted = this.isEnabled;
    if (event === 'enable' || event === 'save-enabled') this.isEnabled = true;
    if (event === 'disable' || event === 'save-disabled') this.isEnabled = false;
    // A user's action clears a halt; losing a lease does not.
    if (event !== 'halt' && event !== 'lose-lease') this.isHalted = false;
    this.isRunning = this.exists && this.isEnabled && !this.isHalted;
  }

  get status(): SyncStatus {
    if (!this.isEnabled) return 'Disabled';
    return this.isHalted ? 'Halted' : 'Enabled';
  }
}

const events = [
  'enable',
  'disable',
  'save-enabled',
  'save-disabled',
  'cursor-moved',
  'halt',
  'lose-lease',
  'destroy',
] as const;

it('reaches the expected status after any sequence of events', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(fc.constantFrom(...events), { maxLength: 30 }), (isEnabled, history) => {
      const model = new Model(isEnabled);
      let status = model.status;
      for (const event of history) {
        const wasRunning = model.isRunning;
        const { to, run, message } = getTransition(status, event);
        model.apply(event);
        expect(message).not.toBe('');
        expect(to).toBe(model.exists ? model.status : 'Deleted');
        if (event === 'lose-lease') expect(run).toBe(wasRunning ? 'stop' : 'leave');
        else if (wasRunning && !model.isRunning) expect(run).toBe('stop');
        else if (!wasRunning && model.isRunning) expect(run).toBe('start');
        else if (wasRunning) expect(run).toBe(event === 'save-enabled' ? 'restart' : 'leave');
        else expect(run).toBe('leave');
        if (to === 'Deleted') return;
        status = to;
      }
    }),
  );
});

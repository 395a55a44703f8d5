import type { SyncStatus } from '@portal/contract/sync-integration';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getTransition, type StatusEvent } from './status-table.ts';

/** The expected behavior, modeled as four facts instead of a table. */
class Model {
  isThere = true;
  isWanted: boolean;
  isStuck = false;
  isRunning: boolean;

  constructor(isWanted: boolean) {
    this.isWanted = isWanted;
    this.isRunning = isWanted;
  }

  apply(event: StatusEvent): void {
    if (event === 'destroy') this.isThere = false;
    if (event === 'halt') this.isStuck = this.isWanted;
    if (event === 'enable' || event === 'save-enabled') this.isWanted = true;
    if (event === 'disable' || event === 'save-disabled') this.isWanted = false;
    // A user's action clears a halt; losing a lease does not.
    if (event !== 'halt' && event !== 'lose-lease') this.isStuck = false;
    this.isRunning = this.isThere && this.isWanted && !this.isStuck;
  }

  get status(): SyncStatus {
    if (!this.isWanted) return 'Disabled';
    return this.isStuck ? 'Halted' : 'Enabled';
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
    fc.property(fc.boolean(), fc.array(fc.constantFrom(...events), { maxLength: 30 }), (isWanted, happening) => {
      const model = new Model(isWanted);
      let status = model.status;
      for (const event of happening) {
        const wasRunning = model.isRunning;
        const { to, run, message } = getTransition(status, event);
        model.apply(event);
        expect(message).not.toBe('');
        expect(to).toBe(model.isThere ? model.status : 'Deleted');
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

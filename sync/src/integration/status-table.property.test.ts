import type { SyncStatus } from '@portal/contract/sync-integration';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getTransition, type StatusEvent } from './status-table.ts';

/** What people were promised, said as three facts instead of a table. */
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
    // A person's word settles what it was stuck on; losing a lease settles nothing.
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

it('follows what was promised, whatever happens in whatever order', () => {
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

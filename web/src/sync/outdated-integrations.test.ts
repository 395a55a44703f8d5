import type { SyncIntegration } from '@portal/contract/sync/integration';
import { expect, it } from 'vitest';
import { markOutdated } from './outdated-integrations.ts';

type Shown = Pick<SyncIntegration, 'status' | 'health' | 'heliumSyncStatus' | 'journeySyncStatus'>;

const outage = { sinceMs: 1_000_000, nowMs: 1_023_400, part: "the portal's database" };
const mark = (shown: Shown) => markOutdated([shown], outage)[0];

it('shows no enabled integration as fresh while none can be loaded, and states what did not answer since when', () => {
  const live = { status: 'Enabled', health: 'Fresh', heliumSyncStatus: 'Live', journeySyncStatus: 'Off' } as const;
  const text = "Waiting for an answer from the portal's database since 23 s";
  expect(mark(live)).toEqual({ ...live, health: 'Late', heliumSyncStatus: text });
  expect(mark({ ...live, health: 'Stale' })).toMatchObject({ health: 'Stale', heliumSyncStatus: text });
});

it('leaves halted and disabled integrations as they were', () => {
  for (const status of ['Halted', 'Disabled'] as const) {
    const shown = { status, health: 'Idle', heliumSyncStatus: status, journeySyncStatus: status } as const;
    expect(mark(shown)).toEqual(shown);
  }
});

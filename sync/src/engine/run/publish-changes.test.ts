import { expect, it } from 'vitest';
import type { Figures } from '../../integration/figures.ts';
import { publishChanges } from './publish-changes.ts';

it('publishes figures that changed, and figures that changed back', () => {
  const published: Partial<Figures>[] = [];
  const publish = publishChanges((figures) => published.push(figures));
  publish({ journeySyncStatus: 'Live', oplogVersion: '7', journeyToHeliumWaitingSinceMs: null });
  publish({ journeySyncStatus: 'Live', oplogVersion: '7', journeyToHeliumWaitingSinceMs: null });
  publish({ lastPingedMs: 1 });
  publish({ journeySyncStatus: 'Live' });
  publish({ journeySyncStatus: 'Live', oplogVersion: '8' });
  publish({ journeySyncStatus: 'Waiting: no answer' });
  publish({ journeySyncStatus: 'Live', oplogVersion: '8', journeyToHeliumWaitingSinceMs: null });
  expect(published).toEqual([
    { journeySyncStatus: 'Live', oplogVersion: '7', journeyToHeliumWaitingSinceMs: null },
    { lastPingedMs: 1 },
    { journeySyncStatus: 'Live', oplogVersion: '8' },
    { journeySyncStatus: 'Waiting: no answer' },
    { journeySyncStatus: 'Live', oplogVersion: '8', journeyToHeliumWaitingSinceMs: null },
  ]);
});

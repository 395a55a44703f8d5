/** Journey in memory, in its own process. */
import { randomUUID } from 'node:crypto';
import { readChildArgument, serveParent } from '../inside-child.ts';
import { deploymentId, deviceVisit, schemaXml } from './app-schema.ts';
import type { BackendOrder, BackendReady } from './journey-backend.ts';
import { startMemoryJourney } from './memory-journey.ts';

export interface Written {
  readonly opLogHead: number;
  readonly operationsPerBatch: number;
}

readChildArgument();
const password = 'journey-secret';
const journey = await startMemoryJourney({ id: deploymentId(0), password, schemaXml });
const ready: BackendReady = { baseUrl: journey.baseUrl, password };
serveParent(ready, async (request): Promise<Written> => {
  const order = request as BackendOrder | 'written';
  if (order !== 'written') {
    if (!('make' in order)) throw new Error('Journey in memory only makes objects.');
    journey.edit(Array.from({ length: order.make }, (_, n) => deviceVisit(randomUUID(), n)));
  }
  return { opLogHead: journey.opLogHead(), operationsPerBatch: journey.operationsPerBatch() };
});

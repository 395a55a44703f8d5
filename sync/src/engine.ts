import { once } from 'node:events';
import { Unreachable } from '@portal/kit/problems';
import type { Engine, ServiceParts } from './service-parts.ts';

/** What runs integrations and answers for the two platforms. Until it is there, integrations are kept and not run. */
export function createEngine(_parts: ServiceParts): Engine {
  const missing = async (): Promise<never> => {
    throw new Unreachable('The engine of the sync service is not there yet.');
  };
  return {
    async startRun({ signal, publish }) {
      const status = 'Waiting for the engine';
      publish({ heliumSyncStatus: status, journeySyncStatus: status });
      if (!signal.aborted) await once(signal, 'abort');
      return { end: 'stopped' };
    },
    desk: {
      tryEnds: missing,
      readHeld: missing,
      readConflicts: missing,
      retry: missing,
      skip: missing,
      moveCursor: missing,
      requestAudit: missing,
      forget: missing,
    },
    stop: () => Promise.resolve(),
  };
}

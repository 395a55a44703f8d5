import { isOutage } from '@portal/kit/postgres/pool';
import { Problem } from '@portal/kit/problems';
import type { StoredIntegration } from '../integration/integration.ts';
import type { EngineDesk } from '../integration/operator-actions.ts';

class DataSourceAway extends Problem {
  readonly status = 503;
}

/**
 * The same desk, which says whose database is away: else people would look for the trouble in the
 * portal's own.
 */
export function withOutagesTold(desk: EngineDesk): EngineDesk {
  return {
    tryEnds: (target, signal) => desk.tryEnds(target, signal),
    readHeld: (of, ask) => told(of, desk.readHeld(of, ask)),
    readConflicts: (of, ask) => told(of, desk.readConflicts(of, ask)),
    retry: (of, selection) => told(of, desk.retry(of, selection)),
    skip: (of, selection) => told(of, desk.skip(of, selection)),
    moveCursor: (of, to) => told(of, desk.moveCursor(of, to)),
    readDrift: (of) => told(of, desk.readDrift(of)),
    requestAudit: (of) => told(of, desk.requestAudit(of)),
    forget: (of, fence) => told(of, desk.forget(of, fence)),
  };
}

async function told<T>({ dataSource }: StoredIntegration, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!isOutage(error)) throw error;
    throw new DataSourceAway(`The data source ${dataSource} cannot be reached. Try again in a moment.`, {
      cause: error,
    });
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from '@portal/kit/postgres/pool';
import type { Span } from '@portal/platforms/roster/roster-source';
import type { SupportTeam, TeamReading } from '../support-team.ts';
import { listShiftsIn, type ShiftsOfTeam } from './portal-shifts.store.ts';

interface Batch {
  readonly teams: Set<string>;
  readonly shifts: Promise<ReadonlyMap<string, ShiftsOfTeam>>;
}

/**
 * Reads the rosters that are managed in the portal. Teams of an environment that are read at once,
 * for the same span, are read in one statement.
 */
export class PortalRosters {
  readonly #pool: Pool;
  readonly #batches = new Map<string, Batch>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Returns a team whose roster is managed in the portal. */
  serve(environment: string, name: string): SupportTeam {
    return { name, environment, kind: 'portal', read: (span) => this.#read(environment, name, span) };
  }

  async #read(environment: string, team: string, span: Span): Promise<TeamReading> {
    const key = JSON.stringify([environment, span.from, span.to]);
    const batch = this.#batches.get(key) ?? this.#startBatch(key, environment, span);
    batch.teams.add(team);
    const { shifts, numbers } = (await batch.shifts).get(team) ?? { shifts: [], numbers: new Map<string, string>() };
    return { shifts, numbers, readAt: new Date(), problem: null, warnings: [], notes: [] };
  }

  #startBatch(key: string, environment: string, span: Span): Batch {
    const teams = new Set<string>();
    const read = async () => {
      await nextTurn();
      this.#batches.delete(key);
      return listShiftsIn(this.#pool, { environment, teams: [...teams] }, span);
    };
    const batch = { teams, shifts: read() };
    this.#batches.set(key, batch);
    return batch;
  }
}

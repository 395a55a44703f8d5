import { setTimeout as wait } from 'node:timers/promises';
import type { RequestOf, ResponseOf } from '@portal/contract/endpoint';
import type { ImportPreview, importShifts, ShiftImport } from '@portal/contract/support-roster';
import { Unavailable } from '@portal/edge/problems';
import { inTransaction } from '@portal/kit/postgres/pool';
import { Conflict, Invalid, Problem, Unreachable } from '@portal/kit/problems';
import type { Noted } from '../../../access/enforcer.ts';
import { toOutcome } from '../../../audit/audit-trail.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Caller } from '../../../session/caller.ts';
import type { SupportTeam } from '../support-team.ts';
import { requirePortalTeam } from './change-portal-shifts.ts';
import { addShifts, type ShiftColumns, type TeamKey } from './portal-shifts.store.ts';
import type { CsvReading } from './read-shifts-csv.ts';
import {
  beginImport,
  completeImport,
  failImport,
  findRecentImport,
  type ImportKey,
  reportProgress,
} from './roster-imports.store.ts';
import { ShiftsCsvReader } from './shifts-csv-reader.ts';

/** The number of shifts in a preview. */
const maxShown = 5;
/** A request is answered after this time even if its import is not complete. */
const quickMs = 1_000;
const heartbeatMs = 500;

/** PostgreSQL's error code of a statement timeout. */
const queryCanceled = '57014';

type ImportDependencies = Pick<Dependencies, 'pool' | 'heavyWork' | 'logger'>;
type ImportRequest = RequestOf<typeof importShifts>;

interface ImportCall {
  readonly caller: Caller;
  readonly team: SupportTeam;
  readonly noted: Noted;
}

/**
 * Imports shifts from CSV. An import is a job: it continues when its request is over, and any node
 * can report its progress.
 */
export class ShiftImports {
  readonly #dependencies: ImportDependencies;
  readonly #csv = new ShiftsCsvReader();
  readonly #running = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(dependencies: ImportDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Imports all shifts of a CSV text or none. Returns how many if the import is quick, and its job
   * otherwise. Throws Invalid with the faulty lines, and Conflict if another import of the team is
   * running.
   */
  async start(
    { caller, team, noted }: ImportCall,
    { csv, replace = false }: ImportRequest,
  ): Promise<ResponseOf<typeof importShifts>> {
    const where = requirePortalTeam(team);
    const shifts = requireShifts(await this.#csv.read(csv, caller.environment.timeZone));
    const job = await this.#begin(caller, where, shifts.names.length);
    const whole = this.#run(caller, { ...where, id: job.id }, shifts, replace).then((removed) => {
      noted.after = { imported: job.total, removed };
    });
    const settled = whole.catch(() => undefined).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
    const isQuick = await Promise.race([whole.then(() => true), wait(quickMs, false, { ref: false })]);
    if (isQuick) return { imported: job.total };
    noted.job = whole;
    return { imported: 0, job };
  }

  /** Previews an import without changing anything. */
  async preview(caller: Caller, team: SupportTeam, csv: string): Promise<ImportPreview> {
    requirePortalTeam(team);
    const { shifts, faults, hasMoreFaults } = await this.#csv.read(csv, caller.environment.timeZone);
    return {
      shiftCount: shifts.names.length,
      shifts: shifts.names.slice(0, maxShown).map((name, at) => ({
        name,
        number: shifts.numbers[at] ?? null,
        start: toIso(shifts.starts[at]),
        end: toIso(shifts.ends[at]),
      })),
      faults: faults.map(({ line, text }) => ({ line, text })),
      hasMoreFaults,
    };
  }

  /** Returns the team's import that is running or has ended within the last minutes. */
  async find(team: SupportTeam): Promise<ShiftImport | null> {
    return findRecentImport(this.#dependencies.pool, requirePortalTeam(team));
  }

  /** Stops all imports, so that nothing is imported by them. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Unavailable('The portal is stopping. Nothing was imported. Try again in a moment.'));
    await this.#csv.stop();
    await Promise.all(this.#running);
  }

  async #begin({ username }: Caller, where: TeamKey, total: number): Promise<ShiftImport> {
    const id = await beginImport(this.#dependencies.pool, where, { username, total });
    if (id === undefined)
      throw new Conflict(
        `Nothing was imported. Another import for ${where.team} is running. Wait until it is complete, then try again.`,
      );
    return { id, username, state: 'running', added: 0, total, problem: null };
  }

  /** Adds the shifts in one transaction. Returns how many existing ones were deleted. */
  async #run(caller: Caller, key: ImportKey, shifts: ShiftColumns, replace: boolean): Promise<number> {
    const { pool, heavyWork, logger } = this.#dependencies;
    const { signal } = this.#stopping;
    let added = 0;
    const onProgress = (count: number) => {
      added = count;
    };
    const heartbeat = setInterval(() => {
      // An import that cannot store its heartbeat for long is not completed.
      reportProgress(pool, key, added).catch((error: unknown) =>
        logger.warn({ err: error }, 'could not store the progress of an import'),
      );
    }, heartbeatMs).unref();
    try {
      return await heavyWork.run(
        caller,
        (heavyPool) =>
          inTransaction(heavyPool, async (client) => {
            const removed = await addShifts(client, key, shifts, { replace, onProgress, signal });
            if (await completeImport(client, key)) return removed;
            throw new Unavailable('Nothing was imported, because the portal was interrupted. Try again.');
          }),
        signal,
      );
    } catch (error) {
      const problem = toProblem(error);
      const { requestId } = caller.origin;
      if (!(problem instanceof Problem)) logger.error({ requestId, err: error }, 'could not import shifts');
      await failImport(pool, key, toOutcome(problem).reason).catch((reason: unknown) =>
        logger.warn({ requestId, err: reason }, 'could not store the end of an import'),
      );
      throw problem;
    } finally {
      clearInterval(heartbeat);
    }
  }
}

/** Throws Invalid. */
function requireShifts({ shifts, faults, hasMoreFaults }: CsvReading): ShiftColumns {
  const [first] = faults;
  if (!first) return shifts;
  if (first.refusal !== undefined) throw new Invalid(first.refusal);
  const listed = faults.map(({ line, text }) => `Line ${line}: ${text}`);
  throw new Invalid(`Nothing was imported. ${listed.join(' ')}${hasMoreFaults ? ' There are more faults.' : ''}`);
}

function toProblem(error: unknown): unknown {
  const isTimeout = error instanceof Error && 'code' in error && error.code === queryCanceled;
  return isTimeout
    ? new Unreachable("Nothing was imported. The portal's database took too long. Try again.", { timedOut: true })
    : error;
}

function toIso(epochMs: number | undefined): string {
  return new Date(epochMs ?? Number.NaN).toISOString();
}

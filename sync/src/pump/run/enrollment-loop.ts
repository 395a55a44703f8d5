/**
 * Runs enrollment while the integration runs: it reads Journey's users at an interval, and executes
 * Helium's requests as soon as the change log shows them. Its failures are logged and never stop
 * the sync of records.
 *
 *   change log ─▶ noteRequests   every half second at most; saves locks even while Journey fails
 *                     │ new
 *                     ▼
 *   interval ──▶ rounds and requests, one at a time
 */
import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs } from '@portal/kit/backoff';
import { Invalid, Problem } from '@portal/kit/problems';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { retryDelayMs } from '@portal/platforms/journey/retry-delay';
import type { EnrollmentRound } from '../../enrollment/enrollment-round.ts';
import { listRequestTables, noteRequests } from '../../enrollment/note-requests.ts';
import { PendingRequests } from '../../enrollment/pending-requests.ts';
import { runEnrollment, runEnrollmentRequests } from '../../enrollment/run-enrollment.ts';
import { TableChanges } from '../../helium/table-changes.ts';
import { getStateKey } from '../../integration/state-key.ts';
import type { HeliumCatalog } from '../../mapping/helium-catalog.ts';
import { lockRun } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from '../shared/active-run.ts';

/**
 * A round that failed, or found no users because none are synced yet, is repeated before the next
 * one is due.
 */
const retryMs = 60_000;
/** The minimum time between two checks for requests. */
const checkMs = 500;

/** Neither loop ends before the run. */
export function startEnrollmentLoops(active: ActiveRun): readonly Promise<void>[] {
  const loop = new EnrollmentLoop(active);
  return active.isFromHelium ? [loop.runRounds(), loop.watchRequests()] : [loop.runRounds()];
}

class EnrollmentLoop {
  readonly #active: ActiveRun;
  readonly #intervalMs: number;
  readonly #pending: PendingRequests;
  #nextRoundAtMs = 0;
  #isFirstRound = true;
  /** As last read; null after a failure. */
  #catalog: HeliumCatalog | null = null;
  /** Failures in a row of executing requests. */
  #failures = 0;
  #waitsUntilMs = 0;
  /** Whether it sleeps and new requests may wake it. */
  #isIdle = false;

  constructor(active: ActiveRun) {
    this.#active = active;
    this.#intervalMs = active.run.integration.config.journeyToHeliumEnrollment.updateIntervalMins * 60_000;
    this.#pending = new PendingRequests(this.#intervalMs);
  }

  /** Notes requests even while a call to Journey waits, so that no lock is missed that is withdrawn. */
  async watchRequests(): Promise<void> {
    const { context, requests, run } = this.#active;
    const { signal } = run;
    const { pool, schema } = context.helium;
    const { catalog, enrollment } = await this.#createRound();
    const tables = listRequestTables(enrollment);
    for (const { name, isTracked } of catalog.tables)
      if (tables.includes(name) && !isTracked)
        run.log('INFO', `Helium does not track ${name}: its enrollment requests wait for the interval.`);
    const changes = new TableChanges(pool, schema, tables);
    while (!signal.aborted) {
      try {
        if ((await changes.check()) && (await noteRequests(await this.#createRound()))) this.#addNew();
      } catch (error) {
        changes.reset();
        this.#report('Enrollment requests', error);
        const waitMs = error instanceof Invalid ? retryMs : checkMs;
        await pause(waitMs, undefined, { signal }).catch(() => undefined);
      }
      await pause(checkMs, undefined, { signal }).catch(() => undefined);
      if (!changes.hasWriters) await requests.sleep(this.#intervalMs, signal);
    }
  }

  /** Executes requests before rounds, but the first round shows which users Journey has. */
  async runRounds(): Promise<void> {
    const { run, enrollment } = this.#active;
    while (!run.signal.aborted) {
      const nowMs = Date.now();
      const requestsAtMs = Math.max(this.#waitsUntilMs, this.#pending.hasNew ? 0 : this.#pending.retryAtMs);
      if (requestsAtMs <= nowMs && !this.#isFirstRound) await this.#executeRequests();
      else if (this.#nextRoundAtMs <= nowMs) await this.#runRound();
      else {
        this.#isIdle = this.#waitsUntilMs <= nowMs;
        await enrollment.sleep(Math.min(requestsAtMs, this.#nextRoundAtMs) - nowMs, run.signal);
        this.#isIdle = false;
        this.#waitsUntilMs = 0;
      }
    }
  }

  async #runRound(): Promise<void> {
    let restMs = this.#intervalMs;
    this.#catalog = null;
    try {
      const { users } = await this.#active.run.withSlot(async () => runEnrollment(await this.#createRound()));
      if (users === 0) restMs = Math.min(restMs, retryMs);
    } catch (error) {
      this.#report('Enrollment', error);
      restMs = Math.min(restMs, retryMs);
    }
    this.#isFirstRound = false;
    this.#nextRoundAtMs = Date.now() + restMs;
  }

  async #executeRequests(): Promise<void> {
    const { run, timing } = this.#active;
    try {
      await run.withSlot(async () => runEnrollmentRequests(await this.#createRound()));
      this.#failures = 0;
    } catch (error) {
      const waitMs =
        error instanceof JourneyProblem
          ? retryDelayMs(error.failure, this.#failures, Math.random, timing.retry)
          : backoffMs(this.#failures, timing.retry);
      this.#failures += 1;
      this.#report('Enrollment requests', error, ` Retrying in ${Math.ceil(waitMs / 1000)} s.`);
      this.#pending.addNew();
      this.#waitsUntilMs = Date.now() + waitMs;
    }
  }

  #addNew(): void {
    this.#pending.addNew();
    if (this.#isIdle) this.#active.enrollment.wake();
  }

  /** Rethrows what is not a failure of enrollment. */
  #report(what: string, problem: unknown, next = ''): void {
    const { run } = this.#active;
    this.#catalog = null;
    if (run.signal.aborted) return;
    if (!(problem instanceof Problem || problem instanceof JourneyProblem)) throw problem;
    run.log('WARNING', `${what}: ${problem.message}${next}`);
  }

  async #createRound(): Promise<EnrollmentRound> {
    const { run, client, context } = this.#active;
    const { config } = run.integration;
    this.#catalog ??= await context.helium.readCatalog();
    return {
      enrollment: config.journeyToHeliumEnrollment,
      stateKey: getStateKey(run.integration),
      client,
      pool: context.helium.pool,
      catalog: this.#catalog,
      heliumToJourneyEnabled: config.enableHeliumToJourney,
      now: () => new Date(),
      log: run.log,
      signal: run.signal,
      checkFence: async (db) => void (await lockRun(db, context.stateId, context.fence)),
      pending: this.#pending,
      mayInterrupt: !this.#isFirstRound,
    };
  }
}

/**
 * Runs enrollment while the integration runs: it reads Journey's users at an interval, and executes
 * Helium's requests as soon as the change log shows them. Its failures are logged and never stop
 * the sync of records, unless the lease or the database is lost.
 *
 *   change log ─▶ noteRequests   every half second at most; saves locks even while Journey fails
 *                     │ new
 *                     ▼
 *   interval ──▶ rounds and requests, one at a time
 */
import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs } from '@portal/kit/backoff';
import { isOutage } from '@portal/kit/postgres/pool';
import { Problem, Unreachable } from '@portal/kit/problems';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { retryDelayMs } from '@portal/platforms/journey/retry-delay';
import { type EnrollmentRound, inAppTransaction } from '../../enrollment/enrollment-round.ts';
import {
  type EnrollmentChange,
  saveEnrollmentStatus,
  takeEnrollmentRetry,
} from '../../enrollment/enrollment-status.store.ts';
import { listRequestTables, noteRequests } from '../../enrollment/note-requests.ts';
import { PendingRequests } from '../../enrollment/pending-requests.ts';
import { RecurringWarnings } from '../../enrollment/recurring-warnings.ts';
import { runEnrollment, runEnrollmentRequests } from '../../enrollment/run-enrollment.ts';
import { isContention } from '../../helium/database-failures.ts';
import { TableChanges } from '../../helium/table-changes.ts';
import { describeFailure, findExplanation } from '../../integration/describe-failure.ts';
import { LeaseLostError } from '../../integration/lease-lost-error.ts';
import { getStateKey } from '../../integration/state-key.ts';
import type { HeliumCatalog } from '../../mapping/helium-catalog.ts';
import { lockRun } from '../../sync-state/runs.store.ts';
import type { ActiveRun } from './active-run.ts';

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
  readonly #warnings = new RecurringWarnings();
  #nextRoundAtMs = 0;
  #endFirstCheck: () => void = () => undefined;
  readonly #firstCheck = new Promise<void>((resolve) => {
    this.#endFirstCheck = resolve;
  });
  /** As last read; null after a failure. */
  #catalog: HeliumCatalog | null = null;
  /** Failures in a row of executing requests. */
  #failures = 0;
  /** Rounds in a row that locks of other transactions have stopped. */
  #lockedRounds = 0;
  #waitsUntilMs = 0;
  /** Whether it sleeps and new requests may wake it. */
  #isIdle = false;
  #savedStatus = '';
  /** Why the last list of users was not written. */
  #problem: string | null = null;

  constructor(active: ActiveRun) {
    this.#active = active;
    this.#intervalMs = active.run.integration.config.journeyToHeliumEnrollment.updateIntervalMins * 60_000;
    this.#pending = new PendingRequests(this.#intervalMs);
  }

  /**
   * Notes requests even while a call to Journey waits, so that no lock is missed that is withdrawn.
   */
  async watchRequests(): Promise<void> {
    const { context, requests, run } = this.#active;
    const { signal } = run;
    const { pool, schema } = context.helium;
    const tables = listRequestTables(run.integration.config.journeyToHeliumEnrollment);
    const changes = new TableChanges(pool, schema, tables);
    let isFirst = true;
    try {
      while (!signal.aborted) {
        let waitMs = checkMs;
        try {
          if (isFirst) await this.#reportUntracked(tables);
          isFirst = false;
          if ((await changes.check()) && (await noteRequests(await this.#createRound()))) this.#addNew();
        } catch (error) {
          changes.reset();
          this.#report('Enrollment requests', error);
          // Another transaction held a lock; anything else lasts longer.
          if (!(error instanceof Unreachable || isContention(error))) waitMs = this.#active.timing.enrollmentRetryMs;
        }
        this.#endFirstCheck();
        await pause(waitMs, undefined, { signal }).catch(() => undefined);
        if (!changes.hasWriters) await requests.sleep(this.#intervalMs, signal);
      }
    } finally {
      this.#endFirstCheck();
    }
  }

  async #reportUntracked(tables: readonly string[]): Promise<void> {
    const { catalog } = await this.#createRound();
    for (const { name, isTracked } of catalog.tables)
      if (tables.includes(name) && !isTracked)
        this.#active.run.log('INFO', `Helium does not track ${name}: its enrollment requests wait for the interval.`);
  }

  /** Executes requests before rounds, also those that were made while nothing ran. */
  async runRounds(): Promise<void> {
    const { run, enrollment, isFromHelium } = this.#active;
    if (isFromHelium) await this.#firstCheck;
    while (!run.signal.aborted) {
      await this.#takeRetry();
      const nowMs = Date.now();
      const requestsAtMs = Math.max(this.#waitsUntilMs, this.#pending.hasNew ? 0 : this.#pending.retryAtMs);
      if (requestsAtMs <= nowMs) await this.#executeRequests();
      else if (this.#nextRoundAtMs <= nowMs) await this.#runRound();
      else {
        this.#isIdle = this.#waitsUntilMs <= nowMs;
        await enrollment.sleep(Math.min(requestsAtMs, this.#nextRoundAtMs) - nowMs, run.signal);
        this.#isIdle = false;
        this.#waitsUntilMs = 0;
      }
    }
  }

  /** Makes due what an operator retries. The next round attempts the rows again. */
  async #takeRetry(): Promise<void> {
    const { context, run } = this.#active;
    try {
      const subjects = await takeEnrollmentRetry(context.helium.pool, getStateKey(run.integration));
      if (subjects === null) return;
      this.#pending.retryNow(subjects);
      this.#nextRoundAtMs = 0;
    } catch (error) {
      this.#report('The retry of enrollment', error);
    }
  }

  async #runRound(): Promise<void> {
    const { enrollmentRetryMs, retry } = this.#active.timing;
    let restMs = this.#intervalMs;
    this.#catalog = null;
    try {
      const { users, sessions } = await runEnrollment(await this.#createRound());
      await this.#saveStatus({ list: { at: new Date(), users, sessions }, problem: null });
      // None are synced yet.
      if (users === 0) restMs = Math.min(restMs, enrollmentRetryMs);
      this.#lockedRounds = 0;
    } catch (error) {
      this.#report('Enrollment', error);
      await this.#saveStatus({ problem: describeFailure(error) });
      restMs = Math.min(restMs, enrollmentRetryMs);
      // Such as a page of this sync, which takes longer on a busy machine. Anything else lasts.
      if (error instanceof Unreachable && isContention(error.cause)) {
        restMs = Math.min(restMs, backoffMs(this.#lockedRounds, retry));
        this.#lockedRounds += 1;
      }
    }
    this.#nextRoundAtMs = Date.now() + restMs;
  }

  async #executeRequests(): Promise<void> {
    const { timing } = this.#active;
    try {
      await runEnrollmentRequests(await this.#createRound());
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
    await this.#saveStatus({});
  }

  #addNew(): void {
    this.#pending.addNew();
    if (this.#isIdle) this.#active.enrollment.wake();
  }

  /**
   * Rethrows what concerns the whole run: another process has taken over, or the database is lost.
   */
  #report(what: string, problem: unknown, next = ''): void {
    const { run } = this.#active;
    this.#catalog = null;
    if (run.signal.aborted) return;
    if (problem instanceof LeaseLostError || (isOutage(problem) && !(problem instanceof Problem))) throw problem;
    if (findExplanation(problem) === undefined) run.reportBug(problem);
    run.log('WARNING', `${what}: ${describeFailure(problem)}${next}`);
  }

  /** Saves what operators see, if it has changed. */
  async #saveStatus(change: Omit<EnrollmentChange, 'waiting'>): Promise<void> {
    if (change.problem !== undefined) this.#problem = change.problem;
    const waiting = [...this.#pending.listWaiting(), ...this.#warnings.listWaiting()];
    const content = JSON.stringify([change, waiting]);
    if (this.#active.run.signal.aborted) return;
    try {
      if (content === this.#savedStatus) return;
      const round = await this.#createRound();
      await inAppTransaction(round, (db) => saveEnrollmentStatus(db, round.stateKey, { ...change, waiting }));
      this.#savedStatus = content;
    } catch (error) {
      this.#report('The status of enrollment', error);
    } finally {
      this.#active.run.publish({ waitingEnrollment: waiting.length + (this.#problem === null ? 0 : 1) });
    }
  }

  async #createRound(): Promise<EnrollmentRound> {
    const { run, client, context } = this.#active;
    const { config } = run.integration;
    this.#catalog ??= await run.withSlot(() => context.helium.readCatalog());
    return {
      enrollment: config.journeyToHeliumEnrollment,
      stateKey: getStateKey(run.integration),
      client,
      pool: context.helium.pool,
      catalog: this.#catalog,
      heliumToJourneyEnabled: config.enableHeliumToJourney,
      maxDeletedPercent: context.maxDeletedPercent,
      withSlot: run.withSlot,
      now: () => new Date(),
      log: run.log,
      signal: run.signal,
      checkFence: async (db) => void (await lockRun(db, context.stateId, context.fence)),
      pending: this.#pending,
      warnings: this.#warnings,
    };
  }
}

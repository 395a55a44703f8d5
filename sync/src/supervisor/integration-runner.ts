/**
 * The IntegrationRunner runs one integration while this process holds its lease, and restarts it
 * when it changes or fails.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Slots } from '@portal/kit/concurrency/slots';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import type { Secret } from '@portal/kit/secret';
import { describeFailure } from '../integration/describe-failure.ts';
import type { StoredIntegration } from '../integration/integration.ts';
import { LeaseLostError } from '../integration/lease-lost-error.ts';
import type { RunResult, StartRun } from '../integration/run-host.ts';
import { readIntegration } from '../portal-store/integrations.store.ts';
import type { HeldLease, Lease, RenewedLease } from '../portal-store/leases.store.ts';
import type { LogWriter } from '../portal-store/log-writer.ts';
import { applyStatusEvent, engineAuthor } from '../portal-store/status.store.ts';
import type { WakeUps } from '../portal-store/wake-ups.store.ts';
import { classifyFailure, noFailures, type RetryLimits } from './classify-failure.ts';
import type { FigureWriter } from './figure-writer.ts';
import type { Leases } from './leases.ts';

export interface RunnerParts {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly startRun: StartRun;
  readonly leases: Leases;
  readonly slots: Slots;
  readonly figureWriter: FigureWriter;
  readonly logWriter: LogWriter;
  readonly readPassword: (integration: StoredIntegration) => Promise<Secret>;
  readonly retryLimits: RetryLimits;
}

export const defaultRetryLimits: RetryLimits = {
  maxFailures: 10,
  stableAfterMs: 60_000,
  // An attempt may take five seconds: whatever is back is used within ten.
  outageBackoff: { initialMs: 500, maxMs: 4_000 },
  failureBackoff: { initialMs: 1_000, maxMs: 60_000 },
};

/** How one run ended. */
type RunOutcome = 'finished' | 'restart' | { readonly error: unknown };

export class IntegrationRunner {
  readonly lease: Lease;
  /** Resolves when nothing of the integration runs any more. */
  readonly finished: Promise<void>;
  readonly #parts: RunnerParts;
  #attempt = new AbortController();
  #isStopped = false;
  #configVersion: number | undefined;
  #attemptsRequested: number;
  #wakeUps: WakeUps;
  #counts = noFailures;
  #onWake: () => void = () => undefined;
  #onWebhook: () => void = () => undefined;
  #onTryNow: () => void = () => undefined;

  /** @param after an earlier run of the same integration, which must finish first */
  constructor(lease: HeldLease, parts: RunnerParts, after: Promise<void> = Promise.resolve()) {
    this.lease = lease;
    this.#attemptsRequested = lease.attemptsRequested;
    this.#wakeUps = lease.wakeUps;
    this.#parts = parts;
    this.finished = after.then(() => this.#runUntilStopped());
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Restarts with the stored configuration, unless this version is already running. Ends the wait
   * before the next attempt, in the run or between two runs, if an operator has requested that.
   * Wakes the run if that was not notified.
   */
  refresh({ configVersion, attemptsRequested, wakeUps }: RenewedLease): void {
    this.wake(wakeUps);
    if (attemptsRequested !== this.#attemptsRequested) this.#onTryNow();
    this.#attemptsRequested = attemptsRequested;
    if (this.#configVersion === undefined || this.#configVersion === configVersion) return;
    this.#configVersion = undefined;
    this.#counts = noFailures;
    this.#attempt.abort();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#attempt.abort();
    return this.finished;
  }

  /**
   * Wakes the run for what was counted since the last call. Counts that arrive late are ignored.
   */
  wake({ stateChanges, webhooks }: WakeUps): void {
    const before = this.#wakeUps;
    this.#wakeUps = {
      stateChanges: Math.max(stateChanges, before.stateChanges),
      webhooks: Math.max(webhooks, before.webhooks),
    };
    if (stateChanges > before.stateChanges) this.#onWake();
    if (webhooks > before.webhooks) this.#onWebhook();
  }

  async #runUntilStopped(): Promise<void> {
    const { figureWriter, logger } = this.#parts;
    while (!this.#isStopped) {
      this.#attempt = new AbortController();
      const { signal } = this.#attempt;
      const startedMs = Date.now();
      const outcome = await this.#runOnce(signal).catch((error: unknown): RunOutcome => ({ error }));
      if (outcome === 'finished') break;
      if (outcome === 'restart' || signal.aborted) continue;
      const retryMs = await this.#handleFailure(outcome.error, Date.now() - startedMs).catch((error: unknown) => {
        logger.error({ err: error, id: this.lease.id }, 'a failed run could not be handled');
        return this.#parts.retryLimits.outageBackoff.maxMs;
      });
      if (retryMs === null) break;
      await this.#waitForRetry(retryMs, signal);
    }
    await figureWriter.remove(this.lease);
  }

  async #waitForRetry(retryMs: number, signal: AbortSignal): Promise<void> {
    const tryNow = new AbortController();
    this.#onTryNow = () => tryNow.abort();
    await wait(retryMs, undefined, { signal: AbortSignal.any([signal, tryNow.signal]) }).catch(() => undefined);
    this.#onTryNow = () => undefined;
  }

  async #runOnce(signal: AbortSignal): Promise<RunOutcome> {
    const { pool, startRun, figureWriter, logWriter, logger, slots, readPassword } = this.#parts;
    const { id, fence } = this.lease;
    const integration = await readIntegration(pool, id);
    if (integration?.status !== 'Enabled') return 'finished';
    this.#configVersion = integration.configVersion;
    figureWriter.add(this.lease, integration);
    const result = await startRun({
      integration,
      fence,
      journeyPassword: await readPassword(integration),
      signal,
      assertLease: this.#assertLease,
      log: (key, value) => logWriter.write(id, key, value),
      reportBug: (error) => logger.error({ err: error, id }, 'unexpected error in a run'),
      publish: (figures) => figureWriter.publish(this.lease, figures),
      withSlot: (work) =>
        slots.run(id, () => {
          this.#assertLease();
          return work();
        }),
      onWake: (listener) => {
        this.#onWake = listener;
      },
      onWebhook: (listener) => {
        this.#onWebhook = listener;
      },
      onTryNow: (listener) => {
        this.#onTryNow = listener;
      },
    }).finally(() => {
      this.#onWake = () => undefined;
      this.#onWebhook = () => undefined;
      this.#onTryNow = () => undefined;
    });
    if (signal.aborted) return 'restart';
    if (result.outcome === 'halted')
      return (await this.#halt(result, integration.configVersion)) ? 'finished' : 'restart';
    throw new Error('The run ended without a stop request.');
  }

  readonly #assertLease = (): void => {
    if (this.#isStopped || !this.#parts.leases.isHeld(this.lease))
      throw new LeaseLostError('The lease has expired: another process may be running this integration.');
  };

  /** Returns the milliseconds until the next attempt, or null when there is none. */
  async #handleFailure(error: unknown, durationMs: number): Promise<number | null> {
    const { retryLimits, logWriter, figureWriter, logger, leases } = this.#parts;
    const { id } = this.lease;
    if (error instanceof LeaseLostError || !leases.isHeld(this.lease)) return null;
    const decision = classifyFailure(error, { counts: this.#counts, durationMs, retryLimits });
    this.#counts = decision.counts;
    const message = describeFailure(error);
    if (decision.kind !== 'outage') logger.error({ err: error, id }, 'a run failed');
    if (decision.kind !== 'halt')
      logWriter.write(id, decision.kind === 'outage' ? 'WARNING' : 'SEVERE', `Interrupted, retrying: ${message}`);
    const status = `Interrupted: ${message}`;
    figureWriter.publish(this.lease, { heliumSyncStatus: status, journeySyncStatus: status });
    if (decision.kind !== 'halt') return decision.retryMs;
    const isHalted = await this.#halt(
      { outcome: 'halted', reason: decision.reason, position: '' },
      this.#configVersion,
    );
    return isHalted ? null : 0;
  }

  /**
   * Halts the integration. Returns false when the run's lease or configuration is outdated: then
   * nothing changes.
   */
  async #halt({ reason, position }: Extract<RunResult, { outcome: 'halted' }>, configVersion = 0): Promise<boolean> {
    const { pool, leases, logWriter } = this.#parts;
    const { id, fence } = this.lease;
    const message = position === '' ? reason : `${reason} (at ${position})`;
    const lease = { holder: leases.holder, fence, configVersion };
    const transition = await applyStatusEvent(pool, { id, event: 'halt', by: engineAuthor, reason: message, lease });
    if (transition?.to === 'Halted') logWriter.write(id, 'SEVERE', `Halted: ${message}`);
    return transition !== undefined;
  }
}

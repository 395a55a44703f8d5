/** Keeps one integration running for as long as this process holds its lease: begins it again when it changes or fails. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Backoff, backoffMs } from '@portal/kit/backoff';
import type { Logger } from '@portal/kit/logger';
import { isOutage, type Pool } from '@portal/kit/postgres/pool';
import { Unreachable } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import type { StoredIntegration } from '../integration/integration.ts';
import { LeaseLost } from '../integration/lease-lost.ts';
import type { RunEnd, StartRun } from '../integration/run.ts';
import { readIntegration } from '../portal-store/integrations.store.ts';
import type { Lease } from '../portal-store/leases.store.ts';
import type { LogWriter } from '../portal-store/log-writer.ts';
import { engine, happen } from '../portal-store/status.store.ts';
import type { FigureBoard } from './figure-writer.ts';
import type { Leases } from './leases.ts';
import type { Slots } from './slots.ts';

export interface KeeperParts {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly startRun: StartRun;
  readonly leases: Leases;
  readonly slots: Slots;
  readonly board: FigureBoard;
  readonly lines: LogWriter;
  readonly readPassword: (integration: StoredIntegration) => Promise<Secret>;
  readonly patience: Patience;
}

export interface Patience {
  /** Failures in a row that are no outages, after which it is halted. */
  readonly failures: number;
  /** A run that lasted so long was none of a row. */
  readonly steadyMs: number;
  readonly outageBackoff: Backoff;
  readonly failureBackoff: Backoff;
}

export const usualPatience: Patience = {
  failures: 10,
  steadyMs: 60_000,
  outageBackoff: { firstMs: 500, mostMs: 15_000 },
  failureBackoff: { firstMs: 1_000, mostMs: 60_000 },
};

/** How one run ended. */
type Outcome = 'over' | 'again' | { readonly failed: unknown };

export class Keeper {
  readonly lease: Lease;
  /** Settles when nothing of it runs any more. */
  readonly ended: Promise<void>;
  readonly #parts: KeeperParts;
  #attempt = new AbortController();
  #isStopped = false;
  #configVersion: number | undefined;
  #outages = 0;
  #failures = 0;
  #nudged: () => void = () => undefined;

  /** @param after what must have ended before: an earlier run of the same integration */
  constructor(lease: Lease, parts: KeeperParts, after: Promise<void> = Promise.resolve()) {
    this.lease = lease;
    this.#parts = parts;
    this.ended = after.then(() => this.#keep());
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Begins anew with what is stored, unless it runs with this very configuration. */
  refresh(configVersion: number): void {
    if (this.#configVersion === undefined || this.#configVersion === configVersion) return;
    this.#configVersion = undefined;
    this.#failures = 0;
    this.#outages = 0;
    this.#attempt.abort();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#attempt.abort();
    return this.ended;
  }

  nudge(): void {
    this.#nudged();
  }

  async #keep(): Promise<void> {
    const { board, logger } = this.#parts;
    while (!this.#isStopped) {
      this.#attempt = new AbortController();
      const { signal } = this.#attempt;
      const beganMs = Date.now();
      const outcome = await this.#runOnce(signal).catch((failed: unknown): Outcome => ({ failed }));
      if (outcome === 'over') break;
      if (outcome === 'again' || signal.aborted) continue;
      const retryMs = await this.#judge(outcome.failed, Date.now() - beganMs).catch((error: unknown) => {
        logger.error({ err: error, id: this.lease.id }, 'a failed run could not be judged');
        return this.#parts.patience.outageBackoff.mostMs;
      });
      if (retryMs === null) break;
      await wait(retryMs, undefined, { signal }).catch(() => undefined);
    }
    await board.remove(this.lease);
  }

  async #runOnce(signal: AbortSignal): Promise<Outcome> {
    const { pool, startRun, board, lines, slots, readPassword } = this.#parts;
    const { id, fence } = this.lease;
    const integration = await readIntegration(pool, id);
    if (integration?.status !== 'Enabled') return 'over';
    this.#configVersion = integration.configVersion;
    board.add(this.lease, integration);
    const end = await startRun({
      integration,
      fence,
      journeyPassword: await readPassword(integration),
      signal,
      checkLease: this.#checkLease,
      log: (key, value) => lines.write(id, key, value),
      publish: (figures) => board.publish(this.lease, figures),
      slot: (work) =>
        slots.run(id, () => {
          this.#checkLease();
          return work();
        }),
      onNudge: (listener) => {
        this.#nudged = listener;
      },
    }).finally(() => {
      this.#nudged = () => undefined;
    });
    if (signal.aborted) return 'again';
    if (end.end === 'halted') return (await this.#halt(end, integration.configVersion)) ? 'over' : 'again';
    throw new Error('The run ended without being told to.');
  }

  readonly #checkLease = (): void => {
    if (this.#isStopped || !this.#parts.leases.isHeld(this.lease))
      throw new LeaseLost('The lease has run out: another process may run this integration by now.');
  };

  /** Milliseconds until the next attempt; null: there is none. */
  async #judge(error: unknown, lastedMs: number): Promise<number | null> {
    const { patience, lines, board, logger, leases } = this.#parts;
    const { id } = this.lease;
    if (error instanceof LeaseLost || !leases.isHeld(this.lease)) return null;
    if (lastedMs >= patience.steadyMs) {
      this.#outages = 0;
      this.#failures = 0;
    }
    const message = wordsOf(error);
    const isAway = isOutageOfOthers(error);
    if (!isAway) logger.error({ err: error, id }, 'a run failed');
    lines.write(id, isAway ? 'WARNING' : 'SEVERE', `Interrupted, and tried again: ${message}`);
    const status = `Interrupted: ${message}`;
    board.publish(this.lease, { heliumSyncStatus: status, journeySyncStatus: status });
    if (isAway) {
      this.#outages += 1;
      return backoffMs(this.#outages - 1, patience.outageBackoff);
    }
    this.#failures += 1;
    if (this.#failures < patience.failures) return backoffMs(this.#failures - 1, patience.failureBackoff);
    const reason = `It failed ${this.#failures} times in a row: ${message}`;
    const isHalted = await this.#halt({ end: 'halted', reason, position: '' }, this.#configVersion);
    return isHalted ? null : 0;
  }

  /** False when what it ran with is no longer so: then its word does not count. */
  async #halt({ reason, position }: Extract<RunEnd, { end: 'halted' }>, configVersion = 0): Promise<boolean> {
    const { pool, leases, lines } = this.#parts;
    const { id, fence } = this.lease;
    const told = position === '' ? reason : `${reason} (at ${position})`;
    const lease = { holder: leases.holder, fence, configVersion };
    const step = await happen(pool, { id, event: 'halt', by: engine, reason: told, lease });
    if (step?.to === 'Halted') lines.write(id, 'SEVERE', `Halted: ${told}`);
    return step !== undefined;
  }
}

/** What is away comes back by itself: halting would only mean that somebody has to get up for it. */
export function isOutageOfOthers(error: unknown): boolean {
  return error instanceof Unreachable || isOutage(error);
}

/** Where a host refuses at all of its addresses, only the refusals have words, not the error that holds them. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(wordsOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

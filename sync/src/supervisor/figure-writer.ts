import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { ActivityTally } from '../integration/activity-tally.ts';
import type { Figures } from '../integration/figures.ts';
import type { StoredIntegration } from '../integration/integration.ts';
import { addActivity } from '../portal-store/activity.store.ts';
import { writeFigures } from '../portal-store/figures.store.ts';
import type { Lease } from '../portal-store/leases.store.ts';

const writeIntervalMs = 1_000;
/** An idle integration only reports that both sides respond: that is written less often. */
const heartbeatIntervalMs = 10_000;
const activityIntervalMs = 15_000;

interface Entry {
  readonly lease: Lease;
  readonly integration: StoredIntegration;
  figures: Figures;
  state: 'clean' | 'heartbeat' | 'dirty';
  writtenAtMs: number;
}

/**
 * Holds the figures of all runs in this process for metrics, and writes them to the database in
 * batches. It also counts what they sync, for charts.
 */
export class FigureWriter {
  readonly #pool: Pool;
  readonly #holder: string;
  readonly #logger: Logger;
  readonly #entries = new Map<string, Entry>();
  readonly #activity = new ActivityTally();
  readonly #timers: readonly NodeJS.Timeout[];
  #writing: Promise<void> = Promise.resolve();
  #isWriteWaiting = false;
  #writingActivity: Promise<void> = Promise.resolve();

  constructor(pool: Pool, holder: string, logger: Logger) {
    this.#pool = pool;
    this.#holder = holder;
    this.#logger = logger;
    this.#timers = [
      setInterval(() => void this.write(), writeIntervalMs).unref(),
      setInterval(() => void this.writeActivity(), activityIntervalMs).unref(),
    ];
  }

  /** The figures of the integrations that run in this process. */
  get entries(): readonly Pick<Entry, 'integration' | 'figures'>[] {
    return [...this.#entries.values()];
  }

  add(lease: Lease, integration: StoredIntegration): void {
    this.#entries.set(lease.id, {
      lease,
      integration,
      figures: integration.figures,
      state: 'clean',
      writtenAtMs: Date.now(),
    });
  }

  publish({ id, fence }: Lease, changed: Partial<Figures>): void {
    const entry = this.#entries.get(id);
    if (entry?.lease.fence !== fence) return;
    const before = entry.figures;
    entry.figures = { ...before, ...changed };
    this.#activity.count(id, before, entry.figures, Date.now());
    const isHeartbeat = Object.keys(changed).every((name) => name === 'lastPingedMs');
    if (!isHeartbeat) entry.state = 'dirty';
    else if (entry.state === 'clean') entry.state = 'heartbeat';
  }

  /**
   * Writes the last figures and removes the run. The stored figures stay valid until the next run.
   */
  async remove({ id, fence }: Lease): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry?.lease.fence !== fence) return;
    if (entry.state === 'heartbeat') entry.state = 'dirty';
    await this.write();
    if (this.#entries.get(id) === entry) this.#entries.delete(id);
  }

  /** Writes the changed figures. Callers that arrive while a write is queued share it. */
  write(): Promise<void> {
    if (this.#isWriteWaiting) return this.#writing;
    this.#isWriteWaiting = true;
    this.#writing = this.#writing.then(() => {
      this.#isWriteWaiting = false;
      return this.#write();
    });
    return this.#writing;
  }

  /** Adds what was counted to the activity of the integrations. */
  writeActivity(): Promise<void> {
    this.#writingActivity = this.#writingActivity.then(() => this.#writeActivity());
    return this.#writingActivity;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#writing;
    await this.writeActivity();
  }

  async #writeActivity(): Promise<void> {
    const nowMs = Date.now();
    // A change that waits in silence counts too.
    for (const { lease, figures } of this.#entries.values()) this.#activity.count(lease.id, figures, figures, nowMs);
    const counted = this.#activity.take();
    if (counted.length === 0) return;
    try {
      await addActivity(this.#pool, counted);
    } catch (error) {
      this.#activity.putBack(counted);
      this.#logger.warn({ err: error }, 'the activity could not be written yet');
    }
  }

  async #write(): Promise<void> {
    const nowMs = Date.now();
    const dueEntries = [...this.#entries.values()].filter(
      ({ state, writtenAtMs }) =>
        state === 'dirty' || (state === 'heartbeat' && nowMs - writtenAtMs >= heartbeatIntervalMs),
    );
    if (dueEntries.length === 0) return;
    const writes = dueEntries.map((entry) => {
      const { state } = entry;
      entry.state = 'clean';
      entry.writtenAtMs = nowMs;
      const { id, fence } = entry.lease;
      return { entry, state, values: { id, fence, figures: entry.figures } };
    });
    try {
      await writeFigures(
        this.#pool,
        this.#holder,
        writes.map(({ values }) => values),
      );
    } catch (error) {
      for (const { entry, state } of writes) if (entry.state !== 'dirty') entry.state = state;
      this.#logger.warn({ err: error }, 'figures could not be written yet');
    }
  }
}

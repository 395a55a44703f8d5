/**
 * The BacklogChecks count, about once a minute, what waits for each integration that is halted or
 * disabled: nothing else reads its logs. Each check belongs to one of all processes.
 */
import type { SyncBacklog } from '@portal/contract/sync/integration';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { Problem } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import type { StoredIntegration } from '../integration/integration.ts';
import type { OperatorActions } from '../integration/operator-actions.ts';
import { claimBacklogChecks, saveStoppedFigures } from '../portal-store/figures.store.ts';
import { readIntegration } from '../portal-store/integrations.store.ts';

export interface BacklogTiming {
  /** How often each integration is checked. */
  readonly intervalMs: number;
  /** How often a process looks for integrations to check. */
  readonly roundMs: number;
}

const defaultBacklogTiming: BacklogTiming = { intervalMs: 60_000, roundMs: 10_000 };

/** The most integrations per round, so that thousands of them cost no more than this. */
const maxPerRound = 50;

export interface BacklogParts {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly operations: Pick<OperatorActions, 'readChangeLogBacklogs' | 'readOpLogBacklog'>;
  readonly readPassword: (integration: StoredIntegration) => Promise<Secret>;
}

export class BacklogChecks {
  readonly #parts: BacklogParts;
  readonly #intervalMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #stopped = new AbortController();
  /** The configurations whose credentials Journey rejected: it is not called with them again. */
  readonly #rejected = new Map<string, number>();
  #round: Promise<void> | undefined;

  constructor(parts: BacklogParts, { intervalMs, roundMs } = defaultBacklogTiming) {
    this.#parts = parts;
    this.#intervalMs = intervalMs;
    this.#timer = setInterval(() => this.#startRound(), roundMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort(new Error('The service stops.'));
    await this.#round;
  }

  #startRound(): void {
    this.#round ??= this.#checkDue()
      .catch((error: unknown) => {
        if (!this.#stopped.signal.aborted) this.#parts.logger.warn({ err: error }, 'backlogs could not be read');
      })
      .then(() => {
        this.#round = undefined;
      });
  }

  async #checkDue(): Promise<void> {
    const { pool } = this.#parts;
    const ids = await claimBacklogChecks(pool, { intervalMs: this.#intervalMs, limit: maxPerRound });
    const found = await Promise.all(ids.map((id) => readIntegration(pool, id)));
    const stopped = found.filter((one) => one !== undefined).filter(({ status }) => status !== 'Enabled');
    for (const integrations of groupByDatabase(stopped)) await this.#checkChangeLogs(integrations);
    // One after another, because no one waits for them and the calls share the rate of running
    // integrations.
    for (const integration of stopped) await this.#checkOpLog(integration);
  }

  async #checkChangeLogs(all: readonly StoredIntegration[]): Promise<void> {
    const { pool, operations } = this.#parts;
    const [first, ...others] = all.filter(({ config }) => config.enableHeliumToJourney);
    if (!first) return;
    const integrations = [first, ...others] as const;
    const backlogs = await unlessUnavailable(() => operations.readChangeLogBacklogs([...integrations]));
    for (const [index, { id, figures }] of integrations.entries()) {
      const backlog = backlogs?.[index];
      if (!backlog) continue;
      const changeLogBacklog = toBacklog(backlog.entries, backlog.sinceMs, figures.changeLogBacklog);
      await saveStoppedFigures(pool, id, { changeLogBacklog });
    }
  }

  async #checkOpLog(integration: StoredIntegration): Promise<void> {
    const { pool, operations, readPassword } = this.#parts;
    const { id, config, configVersion, figures } = integration;
    this.#stopped.signal.throwIfAborted();
    if (!config.enableJourneyToHelium || this.#rejected.get(id) === configVersion) return;
    const backlog = await unlessUnavailable(async () =>
      operations.readOpLogBacklog(
        { integration, journeyPassword: await readPassword(integration) },
        this.#stopped.signal,
      ),
    );
    if (backlog === 'credentials-rejected') this.#rejected.set(id, configVersion);
    if (typeof backlog !== 'object') return;
    await saveStoppedFigures(pool, id, { oplogBacklog: toBacklog(backlog.entries, null, figures.oplogBacklog) });
  }
}

/** Without a time of the oldest entry, the backlog counts from when it was first seen. */
function toBacklog(entries: number, sinceMs: number | null, before: SyncBacklog): SyncBacklog {
  return entries === 0 ? null : { entries, since: sinceMs ?? before?.since ?? Date.now() };
}

/** Returns undefined when a platform or a password is not available: the last values stay. */
async function unlessUnavailable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function groupByDatabase(integrations: readonly StoredIntegration[]): readonly (readonly StoredIntegration[])[] {
  const groups = new Map<string, StoredIntegration[]>();
  for (const integration of integrations) {
    const name = `${integration.environment}/${integration.dataSource}`;
    groups.set(name, [...(groups.get(name) ?? []), integration]);
  }
  return [...groups.values()];
}

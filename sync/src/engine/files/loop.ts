/**
 * Journey → Helium: downloads the files that wait, beside the records. Whatever one file's call
 * answers concerns that file only: outages and credentials are judged by the calls of the loops.
 *
 *   due ─▶ announced, or failed before? Journey is asked for its address, many records in one call
 *     ─▶ Helium has its bytes already? copied ─▶ otherwise downloaded, a few files at once
 *     ─▶ written in a transaction of its own, or tried again later
 *
 * A file of Journey that lost a conflict is fetched in the same way, only to keep it.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '@portal/kit/postgres/pool';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { isContention } from '../../helium/database-failures.ts';
import { formatCount } from '../../integration/format-count.ts';
import { keyText } from '../../record/record-key.ts';
import { failFile } from '../../record/waiting-file.ts';
import { removeExpiredFiles, reserveRoom } from '../../sync-state/conflict-files.store.ts';
import { removeMissedFiles } from '../../sync-state/lost-files.store.ts';
import { readNextFileMs, type StoredFile } from '../../sync-state/waiting-files.store.ts';
import { settleRewritten } from '../missing/rewritten-tables.ts';
import { ColumnsAdded, TablesRewritten } from '../restore/notice/check-helium.ts';
import type { ActiveRun } from '../run/active-run.ts';
import { applyFile } from './loop/apply-file.ts';
import { changeFiles, findDueFiles, listFileTables, postpone } from './loop/due-files.ts';
import { keepLostFile } from './loop/keep-lost-file.ts';
import { readFile } from './loop/read-file.ts';

const cleanUpMs = 3_600_000;

/** When another session has locked what a transaction needs. */
const contentionMs = 1_000;
/** After this many, the memory of a downloaded file is needed for others. */
const maxWrites = 10;

/** Runs as long as the integration runs. */
export async function runFilesLoop(active: ActiveRun): Promise<void> {
  const loop = new FilesLoop(active);
  await loop.run();
}

class FilesLoop {
  readonly #active: ActiveRun;
  /** The downloads under way, by Journey's id of the file. */
  readonly #running = new Map<string, Promise<void>>();
  /** An error that ends the run. */
  #failure: { readonly error: unknown } | undefined;
  #written = 0;
  #cleanedUpMs = 0;
  /** Files that failed for the first time, and why the last of them did. */
  #failed = { files: 0, last: '' };

  constructor(active: ActiveRun) {
    this.#active = active;
  }

  async run(): Promise<void> {
    const { files: wake, run, timing } = this.#active;
    const { signal } = run;
    try {
      while (!signal.aborted) {
        const due = await findDueFiles(this.#active.context, this.#running, signal).catch(async (error: unknown) => {
          if (!isContention(error)) throw error;
          await wake.sleep(contentionMs, signal);
          return new Map<string, readonly StoredFile[]>();
        });
        for (const [journeyId, targets] of due) {
          while (this.#running.size >= timing.files.parallelDownloads) await Promise.race(this.#running.values());
          if (this.#failure) throw this.#failure.error;
          if (signal.aborted) break;
          this.#start(journeyId, targets);
        }
        if (this.#failure) throw this.#failure.error;
        if (due.size > 0) continue;
        this.#report();
        await wake.sleep(await this.#getRestMs(), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await Promise.allSettled(this.#running.values());
    }
  }

  #start(journeyId: string, targets: readonly StoredFile[]): void {
    const { signal } = this.#active.run;
    const task = this.#get(journeyId, targets)
      .catch((error: unknown) => {
        // After contention, the files are still due.
        if (!signal.aborted && !isContention(error)) this.#failure ??= { error };
      })
      .finally(() => {
        this.#running.delete(journeyId);
        this.#active.files.wake();
      });
    this.#running.set(journeyId, task);
  }

  /** Gets one file and writes it into all fields that wait for it. */
  async #get(journeyId: string, targets: readonly StoredFile[]): Promise<void> {
    const { context, run, tally, toJourney } = this.#active;
    try {
      const waiting = await this.#findWithoutRoom(targets);
      if (waiting.length === targets.length) return;
      const blob = await readFile(context, journeyId, targets);
      if (blob === 'may-be-own') {
        const reason = 'Helium is sending a file of this field.';
        await changeFiles(context, targets, (file) => failFile(file, reason, Date.now(), context.fileBackoff));
        return;
      }
      for (const target of targets) {
        const { key, column, lost } = target;
        if (lost) {
          if (!waiting.includes(target)) await this.#write(() => keepLostFile(context, { ...target, lost }, blob));
          continue;
        }
        const result = await this.#write(() => applyFile(context, { key, column, journeyId, blob }));
        if (result === 'written') this.#written += 1;
      }
    } catch (error) {
      if (run.signal.aborted) return;
      if (error instanceof JourneyProblem) await this.#fail(targets, error);
      else if (error instanceof TablesRewritten) await settleRewritten(this.#active, error);
      else if (isContention(error) || error instanceof ColumnsAdded)
        await changeFiles(context, targets, (file) => postpone(file, String(error), contentionMs));
      else throw error;
    } finally {
      tally.requestRecount();
      toJourney.wake();
    }
  }

  /** Tries again after contention, so that the file is not downloaded again for it. */
  async #write<T>(write: () => Promise<T>): Promise<T> {
    const { run } = this.#active;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run.withSlot(write);
      } catch (error) {
        if (!isContention(error) || attempt === maxWrites) throw error;
        await pause(contentionMs, undefined, { signal: run.signal });
      }
    }
  }

  /**
   * Puts off the files that there is still no room to keep, and returns them: they need no
   * download.
   */
  async #findWithoutRoom(targets: readonly StoredFile[]): Promise<StoredFile[]> {
    const { context } = this.#active;
    const { helium, stateId, keptFiles, fileBackoff } = context;
    const found: StoredFile[] = [];
    for (const target of targets) {
      const size = target.lost?.size ?? null;
      if (size === null) continue;
      const problem = await inTransaction(helium.pool, (db) => reserveRoom(db, stateId, [size], keptFiles));
      if (problem === null) continue;
      found.push(target);
      await changeFiles(context, [target], (file) => failFile(file, problem, Date.now(), fileBackoff));
    }
    return found;
  }

  async #fail(targets: readonly StoredFile[], problem: JourneyProblem): Promise<void> {
    const { context } = this.#active;
    const { failure, message } = problem;
    if (failure.kind === 'throttled') {
      const { retryAfterMs } = failure;
      await changeFiles(context, targets, (file) => postpone(file, message, retryAfterMs));
      return;
    }
    const changed = await changeFiles(context, targets, (file) =>
      failFile(file, message, Date.now(), context.fileBackoff),
    );
    for (const { key, column, file } of changed)
      if (file.attempts === 1)
        this.#failed = { files: this.#failed.files + 1, last: `${column} of ${keyText(key)}: ${message}` };
  }

  #report(): void {
    const { run } = this.#active;
    const { files, last } = this.#failed;
    if (files > 0)
      run.log(
        'WARNING',
        `Journey → Helium: ${formatCount(files, 'file')} could not be downloaded yet. The last: ${last}`,
      );
    this.#failed = { files: 0, last: '' };
    if (this.#written === 0) return;
    run.log('INFO', `Journey → Helium: ${formatCount(this.#written, 'file')} written.`);
    run.publish({ journeyLastUpdatedMs: Date.now() });
    this.#written = 0;
  }

  /** Removes the files of conflicts whose time is over. */
  async #cleanUp(): Promise<void> {
    const { context, run } = this.#active;
    if (Date.now() < this.#cleanedUpMs + cleanUpMs) return;
    const { helium, stateId, keptFiles } = context;
    const removed = await removeExpiredFiles(helium.pool, stateId, keptFiles);
    await removeMissedFiles(helium.pool, stateId, keptFiles.days);
    this.#cleanedUpMs = Date.now();
    if (removed > 0)
      run.log('INFO', `${formatCount(removed, 'file')} of conflicts older than ${keptFiles.days} days removed.`);
  }

  async #getRestMs(): Promise<number> {
    const { context, timing } = this.#active;
    // Those under way are due as well.
    if (this.#running.size > 0) return timing.files.retry.initialMs;
    await this.#cleanUp();
    const nextMs = await readNextFileMs(context.helium.pool, context.stateId, listFileTables(context));
    const { idleCheckMs } = timing.files;
    return Math.min(nextMs ?? idleCheckMs, idleCheckMs);
  }
}

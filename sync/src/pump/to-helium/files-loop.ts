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
import { DataModelChanged } from '../../journey/stale-mapping.ts';
import { keyText } from '../../record/record-key.ts';
import { answerAddress, failFile, needsAddress, type SeenFile, type WaitingFile } from '../../record/waiting-file.ts';
import { removeExpiredFiles, reserveRoom } from '../../sync-state/conflict-files.store.ts';
import { isStillLost, removeMissedFiles } from '../../sync-state/lost-files.store.ts';
import {
  type FileRef,
  readDueFiles,
  readNextFileMs,
  readWaitingFiles,
  type StoredFile,
  saveWaitingFiles,
} from '../../sync-state/waiting-files.store.ts';
import type { ActiveRun } from '../context/active-run.ts';
import { findObjectMap, inPageTransaction } from '../context/sync-context.ts';
import { formatCount } from '../shared/format-count.ts';
import { hasFiles } from '../shared/has-files.ts';
import { settleRewritten } from '../shared/settle-missing-rows.ts';
import { TablesRewritten } from '../verify/verify-helium.ts';
import { applyFile } from './apply-file.ts';
import { keepLostFile } from './keep-lost-file.ts';
import { readFile } from './read-file.ts';

/** How many files are read at once to start with. */
const pageSize = 100;

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
        const due = await this.#readDue().catch(async (error: unknown) => {
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

  get #tables(): string[] {
    const { context } = this.#active;
    return context.mapping.objects
      .filter(({ table, toHelium }) => toHelium && hasFiles(context, table))
      .map(({ table }) => table);
  }

  /** Returns the records and columns that wait for each file, by Journey's id. */
  async #readDue(): Promise<Map<string, readonly StoredFile[]>> {
    const { context } = this.#active;
    const tables = this.#tables;
    const due = new Map<string, readonly StoredFile[]>();
    const limit = pageSize + this.#running.size;
    const found = await readDueFiles(context.helium.pool, context.stateId, { tables, limit });
    const free = found.filter(({ file }) => !this.#running.has(file.journeyId));
    const isSynced = ({ key, column }: FileRef) =>
      findObjectMap(context, key.table)?.fields.some((field) => field.column === column && field.kind === 'blob');
    const others = free.filter((one) => !one.lost && !isSynced(one));
    if (others.length > 0)
      await this.#change(others, (file) => postpone(file, 'Its field is not synced.', context.fileBackoff.maxMs));
    const synced = free.filter((one) => one.lost || isSynced(one));
    // Its record may name another file by now, but its own address stays.
    const mustAsk = ({ file, lost }: StoredFile) => !lost && needsAddress(file);
    const answered = await this.#askForAddresses(synced.filter(mustAsk));
    for (const one of [...synced.filter((one) => !mustAsk(one)), ...answered])
      due.set(one.file.journeyId, [...(due.get(one.file.journeyId) ?? []), one]);
    return due;
  }

  /** Returns the files that Journey has. */
  async #askForAddresses(files: readonly StoredFile[]): Promise<StoredFile[]> {
    const { context, run } = this.#active;
    const answered: StoredFile[] = [];
    for (const table of new Set(files.map(({ key }) => key.table))) {
      const map = findObjectMap(context, table);
      const ofTable = files.filter(({ key }) => key.table === table);
      if (!map) continue;
      const ids = [...new Set(ofTable.map(({ key }) => key.id))];
      try {
        const listed = await context.journey.listByIds(map, ids, run.signal);
        const entries = new Map(listed.map(({ key, attachments = {} }) => [key.id, attachments]));
        const find = ({ key, column }: FileRef): SeenFile | null => {
          const attachments = entries.get(key.id) ?? {};
          return Object.hasOwn(attachments, column) ? (attachments[column] ?? null) : null;
        };
        const changed = await this.#change(ofTable, (file, ref) =>
          answerAddress(file, find(ref), Date.now(), context.fileBackoff),
        );
        answered.push(...changed.filter((one) => find(one)?.id === one.file.journeyId && one.file.url !== null));
      } catch (error) {
        if (!(error instanceof JourneyProblem || error instanceof DataModelChanged)) throw error;
        await this.#change(ofTable, (file) => postpone(file, error.message, context.fileBackoff.initialMs));
      }
    }
    return answered;
  }

  /** Changes files that still wait, and returns them. */
  #change(
    files: readonly StoredFile[],
    change: (file: WaitingFile, ref: FileRef) => WaitingFile,
  ): Promise<StoredFile[]> {
    const { context } = this.#active;
    const keys = files.map(({ key }) => key);
    return inPageTransaction(context, { direction: 'journey-to-helium', keys }, async (db) => {
      const waiting = await readWaitingFiles(db, context.stateId, keys);
      const changed: StoredFile[] = [];
      for (const one of files) {
        const { key, column, file, lost } = one;
        const stored = waiting.get(key)?.get(column);
        const isThere = lost ? await isStillLost(db, context.stateId, one, lost) : stored?.journeyId === file.journeyId;
        const now = lost ? file : stored;
        if (isThere && now) changed.push({ ...one, file: change(now, { key, column }) });
      }
      await saveWaitingFiles(db, context.stateId, changed);
      return { result: changed, change: {} };
    });
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
        await this.#change(targets, (file) => failFile(file, reason, Date.now(), context.fileBackoff));
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
      else if (isContention(error)) await this.#change(targets, (file) => postpone(file, String(error), contentionMs));
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
      await this.#change([target], (file) => failFile(file, problem, Date.now(), fileBackoff));
    }
    return found;
  }

  async #fail(targets: readonly StoredFile[], problem: JourneyProblem): Promise<void> {
    const { context } = this.#active;
    const { failure, message } = problem;
    if (failure.kind === 'throttled') {
      const { retryAfterMs } = failure;
      await this.#change(targets, (file) => postpone(file, message, retryAfterMs));
      return;
    }
    const changed = await this.#change(targets, (file) => failFile(file, message, Date.now(), context.fileBackoff));
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
    const nextMs = await readNextFileMs(context.helium.pool, context.stateId, this.#tables);
    const { idleCheckMs } = timing.files;
    return Math.min(nextMs ?? idleCheckMs, idleCheckMs);
  }
}

/** Puts off an attempt that was not made. */
function postpone(file: WaitingFile, reason: string, delayMs: number): WaitingFile {
  return { ...file, reason, retryAtMs: Date.now() + delayMs };
}

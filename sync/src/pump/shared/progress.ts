import type { RunRow, Snapshot } from '../../sync-state/runs.store.ts';
import { Waiters } from './waiters.ts';

/** As it is stored in the run's row. */
export type Position = Pick<RunRow, 'changeLogCursor' | 'opLogCursor' | 'toHelium' | 'toJourney'>;

export interface LogHeads {
  readonly changeLog: string;
  readonly opLog: string;
}

/**
 * How far each direction has come. Each loop moves its own; both follow a change of the mapping.
 */
export class Progress {
  #position: Position;
  #waitingSinceMs: number | null = null;
  #hasListings = true;
  readonly #waiters = new Waiters();

  constructor({ changeLogCursor, opLogCursor, toHelium, toJourney }: Position) {
    this.#position = { changeLogCursor, opLogCursor, toHelium, toJourney };
  }

  get position(): Position {
    return this.#position;
  }

  get changeLogCursor(): string {
    return this.#position.changeLogCursor;
  }

  get opLogCursor(): string {
    return this.#position.opLogCursor;
  }

  /** Objects of Journey that are read whole before the op-log; null: none. */
  get fullReadToHelium(): Snapshot | null {
    return this.#position.toHelium;
  }

  /** Tables of Helium that are read whole before the change log; null: none. */
  get fullReadToJourney(): Snapshot | null {
    return this.#position.toJourney;
  }

  /** When the first change of Helium appeared that is not in Journey yet; null: none waits. */
  get waitingSinceMs(): number | null {
    return this.#waitingSinceMs;
  }

  /** Whether records may still be known by listings that the op-log has yet to be read past. */
  get hasListings(): boolean {
    return this.#hasListings;
  }

  /** Whether another loop waits for the logs to be read. */
  get isAwaited(): boolean {
    return !this.#waiters.isEmpty;
  }

  noticeChanges(nowMs: number): number {
    this.#waitingSinceMs ??= nowMs;
    return this.#waitingSinceMs;
  }

  /** @param isEnd of the log: no change waits behind it */
  moveChangeLogTo(changeLogCursor: string, isEnd: boolean): void {
    if (isEnd) this.#waitingSinceMs = null;
    this.#move({ changeLogCursor });
  }

  moveOpLogTo(opLogCursor: string): void {
    this.#move({ opLogCursor });
  }

  planFullReads({ toHelium, toJourney }: Pick<Position, 'toHelium' | 'toJourney'>): void {
    this.#move({ toHelium, toJourney });
  }

  continueFullReadToHelium(toHelium: Snapshot): void {
    this.#move({ toHelium });
  }

  continueFullReadToJourney(toJourney: Snapshot): void {
    this.#move({ toJourney });
  }

  /**
   * @param head where the op-log is read from afterwards; null: from where it was read to before
   */
  finishFullReadToHelium(head: string | null): void {
    this.#move({ toHelium: null, ...(head !== null && { opLogCursor: head }) });
  }

  /**
   * @param head where the change log is read from afterwards; null: from where it was read to
   * before
   */
  finishFullReadToJourney(head: string | null): void {
    this.#move({ toJourney: null, ...(head !== null && { changeLogCursor: head }) });
  }

  rememberListings(): void {
    this.#hasListings = true;
  }

  forgetListings(): void {
    this.#hasListings = false;
  }

  /** Whether everything that was to be read whole is read, and both logs up to these entries. */
  isPast({ changeLog, opLog }: LogHeads): boolean {
    const { changeLogCursor, opLogCursor, toHelium, toJourney } = this.#position;
    if (toHelium !== null || toJourney !== null) return false;
    return BigInt(changeLogCursor) >= BigInt(changeLog) && BigInt(opLogCursor) >= BigInt(opLog);
  }

  /** Rejects with the signal's reason when that is aborted first. */
  whenPast(heads: LogHeads, signal: AbortSignal): Promise<void> {
    return this.#waiters.waitUntil(() => this.isPast(heads), signal);
  }

  #move(change: Partial<Position>): void {
    this.#position = { ...this.#position, ...change };
    this.#waiters.check();
  }
}

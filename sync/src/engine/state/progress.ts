import type { ChangeLogPoint } from '../../helium/helium-gateway.ts';
import type { OpLogPoint } from '../../journey/journey-gateway.ts';
import type { RunRow, Snapshot } from '../../sync-state/runs.store.ts';
import { Waiters } from './waiters.ts';

/** The position as it is stored in the run's row. */
export type Position = Pick<RunRow, 'changeLogCursor' | 'opLogCursor' | 'toHelium' | 'toJourney'>;

/** The log entries at both cursors. */
export type Points = Pick<RunRow, 'changeLogPoint' | 'opLogPoint'>;

/** The full reads, and where the logs are read on. */
export type FullReadPlan = Pick<Position, 'toHelium' | 'toJourney'> & Partial<Pick<Position, 'opLogCursor'> & Points>;

/** Where the logs end; null for one that is not read. */
export interface LogHeads {
  readonly changeLog: string | null;
  readonly opLog: string | null;
}

/**
 * Tracks how far each direction has read. Each loop moves its own cursor; a mapping change affects
 * both.
 */
export class Progress {
  #position: Position;
  #points: Points;
  #waitingSinceMs: number | null = null;
  #hasListings = true;
  #hasDecisions = true;
  readonly #waiters = new Waiters();

  constructor({
    changeLogCursor,
    opLogCursor,
    toHelium,
    toJourney,
    changeLogPoint = null,
    opLogPoint = null,
  }: Position & Partial<Points>) {
    this.#position = { changeLogCursor, opLogCursor, toHelium, toJourney };
    this.#points = { changeLogPoint, opLogPoint };
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

  /** The last entry of the change log that was read; null when none is known. */
  get changeLogPoint(): ChangeLogPoint | null {
    return this.#points.changeLogPoint;
  }

  /** The last entry of the op-log that was read; null when none is known. */
  get opLogPoint(): OpLogPoint | null {
    return this.#points.opLogPoint;
  }

  /** Call it once they are stored. */
  setPoints(points: Partial<Points>): void {
    this.#points = { ...this.#points, ...points };
  }

  /** The full read of Journey that precedes the op-log; null when there is none. */
  get fullReadToHelium(): Snapshot | null {
    return this.#position.toHelium;
  }

  /** The full read of Helium that precedes the change log; null when there is none. */
  get fullReadToJourney(): Snapshot | null {
    return this.#position.toJourney;
  }

  /** Whether a side is only recorded as known. Nothing may be written before that is complete. */
  get isAdopting(): boolean {
    const { toHelium, toJourney } = this.#position;
    return Boolean(toHelium?.isAdoption || toJourney?.isAdoption);
  }

  /** When the first Helium change appeared that is not in Journey yet; null when none waits. */
  get waitingSinceMs(): number | null {
    return this.#waitingSinceMs;
  }

  /** Whether records may have listings that the op-log has not been read past. */
  get hasListings(): boolean {
    return this.#hasListings;
  }

  /** Whether there may be absent objects of Journey about which a decision was made. */
  get hasDecisions(): boolean {
    return this.#hasDecisions;
  }

  /** Whether another loop waits for the logs to be read. */
  get isAwaited(): boolean {
    return !this.#waiters.isEmpty;
  }

  recordChanges(nowMs: number): number {
    this.#waitingSinceMs ??= nowMs;
    return this.#waitingSinceMs;
  }

  /** @param isEnd whether this is the end of the log, with no change waiting behind it */
  moveChangeLogTo(changeLogCursor: string, isEnd: boolean): void {
    if (isEnd) this.#waitingSinceMs = null;
    this.#move({ changeLogCursor });
  }

  moveOpLogTo(opLogCursor: string): void {
    this.#move({ opLogCursor });
  }

  planFullReads({ toHelium, toJourney, opLogCursor = this.opLogCursor, ...points }: FullReadPlan): void {
    this.setPoints(points);
    this.#move({ toHelium, toJourney, opLogCursor });
  }

  continueFullReadToHelium(toHelium: Snapshot): void {
    this.#move({ toHelium });
  }

  continueFullReadToJourney(toJourney: Snapshot): void {
    this.#move({ toJourney });
  }

  /** @param head the position to continue the op-log from; null keeps the current one */
  finishFullReadToHelium(head: string | null): void {
    this.#move({ toHelium: null, ...(head !== null && { opLogCursor: head }) });
  }

  /** @param head the position to continue the change log from; null keeps the current one */
  finishFullReadToJourney(head: string | null): void {
    this.#move({ toJourney: null, ...(head !== null && { changeLogCursor: head }) });
  }

  markListings(): void {
    this.#hasListings = true;
  }

  clearListings(): void {
    this.#hasListings = false;
  }

  markDecisions(): void {
    this.#hasDecisions = true;
  }

  /** Call it before the decisions are read, because others may be made at the same time. */
  clearDecisions(): void {
    this.#hasDecisions = false;
  }

  /** Whether the logs are read up to these entries, and the full reads before them are complete. */
  isPast({ changeLog, opLog }: LogHeads): boolean {
    const { changeLogCursor, opLogCursor, toHelium, toJourney } = this.#position;
    const isPast = (head: string | null, cursor: string, fullRead: Snapshot | null) =>
      head === null || (fullRead === null && BigInt(cursor) >= BigInt(head));
    return isPast(changeLog, changeLogCursor, toJourney) && isPast(opLog, opLogCursor, toHelium);
  }

  /** Rejects with the signal's reason when it is aborted first. */
  whenPast(heads: LogHeads, signal: AbortSignal): Promise<void> {
    return this.#waiters.waitUntil(() => this.isPast(heads), signal);
  }

  #move(change: Partial<Position>): void {
    this.#position = { ...this.#position, ...change };
    this.#waiters.check();
  }
}

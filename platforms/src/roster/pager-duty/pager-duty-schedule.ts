import { UnexpectedStatus } from '../fetch-external.ts';
import type { Span } from '../roster-source.ts';
import { type CallOrder, urgency } from './call-queue.ts';
import type { PagerDutyCalls } from './pager-duty-calls.ts';
import { divide, type Slice, sliceMs, type UnreadSpan } from './slices.ts';
import { type ReadEntries, readEntries, scheduleResponse, shiftBasedScheduleResponse } from './wire.ts';

/** What PagerDuty returned for a part of time. */
export interface PartReading extends ReadEntries, Span {}

export interface SliceReading {
  readonly parts: readonly PartReading[];
  /** The parts that PagerDuty refused, however short. */
  readonly unread: readonly UnreadSpan[];
  readonly readAtMs: number;
}

const nearTtlMs = 30_000;
const farTtlMs = 60 * 60_000;
/** A schedule that is neither found nor refused as version 3 is asked for again after this time. */
const versionTtlMs = 60 * 60_000;
const weekMs = 7 * 86_400_000;
/** Six years of slices. */
const maxSlices = 40;

/** Reads and caches the slices of one schedule, of either version of PagerDuty's API. */
export class PagerDutySchedule {
  readonly #what: string;
  readonly #id: string;
  readonly #calls: PagerDutyCalls;
  /** Least recently read first. */
  readonly #slices = new Map<number, SliceReading>();
  readonly #reading = new Map<number, Promise<void>>();
  /** Undefined until one of them returned the schedule. */
  #version: 2 | 3 | undefined;
  #askedForVersion3AtMs = Number.NEGATIVE_INFINITY;
  /** The longest range that PagerDuty accepts, as far as it is known. */
  #maxPartMs = sliceMs;

  /** @param what the subject of messages: "PagerDuty's schedule of Health" */
  constructor(what: string, id: string, calls: PagerDutyCalls) {
    this.#what = what;
    this.#id = id;
    this.#calls = calls;
  }

  find({ index }: Slice): SliceReading | undefined {
    return this.#slices.get(index);
  }

  isDue(slice: Slice): boolean {
    const cached = this.find(slice);
    return cached === undefined || this.#calls.now() - cached.readAtMs >= (slice.isNear ? nearTtlMs : farTtlMs);
  }

  /** Reads a slice again if it is due. Concurrent readers share the calls. Throws Unreachable. */
  refresh(slice: Slice): Promise<void> {
    if (!this.isDue(slice)) return Promise.resolve();
    const running = this.#reading.get(slice.index);
    if (running) return running;
    const reading = this.#readSlice(slice).finally(() => this.#reading.delete(slice.index));
    this.#reading.set(slice.index, reading);
    return reading;
  }

  async #readSlice(slice: Slice): Promise<void> {
    const order: CallOrder = slice.isNear
      ? { urgency: urgency.nearShifts, rank: this.find(slice)?.readAtMs ?? 0 }
      : { urgency: urgency.farShifts, rank: slice.distance };
    const parts: PartReading[] = [];
    const unread: UnreadSpan[] = [];
    let refusal: UnexpectedStatus | undefined;
    const waiting = divide(slice, this.#maxPartMs);
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      const partMs = part.to.getTime() - part.from.getTime();
      try {
        parts.push({ ...part, ...(await this.#readPart(part, order)) });
        // Far away, a refusal may have another reason than the length.
        if (refusal && slice.isNear) this.#maxPartMs = Math.min(this.#maxPartMs, partMs);
      } catch (error) {
        if (!(error instanceof UnexpectedStatus) || error.httpStatus !== 400) throw error;
        refusal ??= error;
        if (partMs >= 2 * weekMs) waiting.unshift(...divide(part, partMs / 2));
        else unread.push({ ...part, problem: error.message });
      }
    }
    if (refusal && parts.length === 0) throw refusal;
    this.#store(slice.index, { parts, unread, readAtMs: this.#calls.now() });
  }

  async #readPart(part: Span, order: CallOrder): Promise<ReadEntries> {
    if (this.#version === 3) return this.#readVersion3(part, order);
    try {
      const read = await this.#readVersion2(part, order);
      this.#version = 2;
      return read;
    } catch (error) {
      if (!(error instanceof UnexpectedStatus) || ![400, 404].includes(error.httpStatus)) throw error;
      const now = this.#calls.now();
      if (now - this.#askedForVersion3AtMs < versionTtlMs) throw error;
      this.#askedForVersion3AtMs = now;
      return await this.#tryVersion3(part, order, error);
    }
  }

  /** Throws the failure of version 2 if version 3 does not know the schedule either. */
  async #tryVersion3(part: Span, order: CallOrder, failure: UnexpectedStatus): Promise<ReadEntries> {
    try {
      const read = await this.#readVersion3(part, order);
      this.#version = 3;
      return read;
    } catch (error) {
      if (!(error instanceof UnexpectedStatus)) throw error;
      if (error.httpStatus !== 400) throw failure;
      // It knows the schedule, and refuses the range. If both refuse it, a shorter range shows
      // which of them has the schedule.
      if (failure.httpStatus === 404) this.#version = 3;
      else this.#askedForVersion3AtMs = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  async #readVersion2({ from, to }: Span, order: CallOrder): Promise<ReadEntries> {
    const query = new URLSearchParams({ since: from.toISOString(), until: to.toISOString(), overflow: 'true' });
    const path = `/schedules/${encodeURIComponent(this.#id)}?${query}`;
    return readEntries(await this.#calls.get({ what: this.#what, path, shape: scheduleResponse, ...order }), 2);
  }

  async #readVersion3({ from, to }: Span, order: CallOrder): Promise<ReadEntries> {
    const query = new URLSearchParams({
      'include[]': 'final_schedule',
      since: from.toISOString(),
      until: to.toISOString(),
      overflow: 'true',
    });
    const path = `/v3/schedules/${encodeURIComponent(this.#id)}?${query}`;
    const shape = shiftBasedScheduleResponse;
    return readEntries(await this.#calls.get({ what: this.#what, path, shape, ...order }), 3);
  }

  #store(index: number, reading: SliceReading): void {
    this.#slices.delete(index);
    this.#slices.set(index, reading);
    const [oldest] = this.#slices.keys();
    if (this.#slices.size > maxSlices && oldest !== undefined) this.#slices.delete(oldest);
  }
}

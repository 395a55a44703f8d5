import { Unreachable } from '@portal/kit/problems';
import { UnexpectedStatus } from '../fetch-external.ts';
import { urgency } from './call-queue.ts';
import type { PagerDutyCalls } from './pager-duty-calls.ts';
import { contactMethodsResponse, userResponse } from './wire.ts';

/** A value of a person; undefined with the reason if it is not known. */
type Known =
  | { readonly value: string; readonly problem?: never }
  | { readonly value?: never; readonly problem: string };

/** A value, and a refusal that a repeated call would not change, are cached this long. */
const ttlMs = 60 * 60_000;
const lastingStatuses = new Set([401, 403, 404, 410]);
const what = "PagerDuty's user";

/**
 * Reads and caches the names and phone numbers of the people of an account, who may be on several
 * schedules. While one cannot be read, the previous value is returned: a roster is useful even
 * without numbers.
 */
export class PagerDutyPeople {
  readonly #calls: PagerDutyCalls;
  readonly #names: PersonCache;
  readonly #numbers: PersonCache;

  constructor(calls: PagerDutyCalls) {
    this.#calls = calls;
    this.#names = new PersonCache(calls.now, (id) => this.#fetchName(id));
    this.#numbers = new PersonCache(calls.now, (id) => this.#fetchNumber(id));
  }

  readNames(ids: Iterable<string>): Promise<ReadonlyMap<string, Known>> {
    return readEach(this.#names, ids);
  }

  readNumbers(ids: Iterable<string>): Promise<ReadonlyMap<string, Known>> {
    return readEach(this.#numbers, ids);
  }

  #fetchName(id: string): Promise<string | undefined> {
    const path = `/users/${encodeURIComponent(id)}`;
    return this.#calls.get({ what, path, shape: userResponse, urgency: urgency.names, rank: 0 });
  }

  async #fetchNumber(id: string): Promise<string | undefined> {
    const path = `/users/${encodeURIComponent(id)}/contact_methods`;
    const call = { what, path, shape: contactMethodsResponse, urgency: urgency.numbers, rank: 0 };
    const { contact_methods: methods } = await this.#calls.get(call);
    const phone = methods.find(({ type, address }) => type.startsWith('phone_contact_method') && address);
    return phone && `${phone.country_code ? `+${phone.country_code} ` : ''}${phone.address}`;
  }
}

async function readEach(cache: PersonCache, ids: Iterable<string>): Promise<ReadonlyMap<string, Known>> {
  return new Map(await Promise.all(Array.from(ids, async (id) => [id, await cache.read(id)] as const)));
}

/** Caches one kind of value by person. Concurrent readers share a call. */
class PersonCache {
  readonly #now: () => number;
  readonly #fetch: (id: string) => Promise<string | undefined>;
  readonly #known = new Map<string, { readonly known: Known; readonly readAtMs: number }>();
  readonly #reading = new Map<string, Promise<Known>>();

  constructor(now: () => number, fetch: (id: string) => Promise<string | undefined>) {
    this.#now = now;
    this.#fetch = fetch;
  }

  read(id: string): Promise<Known> {
    const cached = this.#known.get(id);
    if (cached && this.#now() - cached.readAtMs < ttlMs) return Promise.resolve(cached.known);
    const running = this.#reading.get(id);
    if (running) return running;
    const reading = this.#readNow(id, cached?.known).finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  async #readNow(id: string, previous: Known | undefined): Promise<Known> {
    const store = (known: Known) => {
      this.#known.set(id, { known, readAtMs: this.#now() });
      return known;
    };
    try {
      const value = await this.#fetch(id);
      return store(value === undefined ? { problem: 'PagerDuty has none.' } : { value });
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const known = previous?.value === undefined ? { problem: error.message } : previous;
      const isLasting = error instanceof UnexpectedStatus && lastingStatuses.has(error.httpStatus);
      return isLasting ? store(known) : known;
    }
  }
}

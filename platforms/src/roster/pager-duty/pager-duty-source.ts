import { Unreachable } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import type { z } from 'zod';
import { type ExternalFetchLimits, fetchExternal } from '../fetch-external.ts';
import { byStart, type RosterSource, type Shift, type Span } from '../roster-source.ts';
import { contactMethodsResponse, pagerDutyAccept, scheduleResponse } from './wire.ts';

interface PagerDutySourceOptions extends Partial<ExternalFetchLimits> {
  readonly team: string;
  /** `https://api.pagerduty.com`, or the address of the European service. */
  readonly baseUrl: string;
  readonly token: Secret;
  readonly scheduleId: string;
  /** Whether the phone number of a person is already known, so that PagerDuty need not be asked. */
  readonly hasNumberFor: (name: string) => boolean;
}

const numberTtlMs = 60 * 60_000;

/** Reads the final schedule, in which PagerDuty has already combined layers and overrides. */
export function createPagerDutySource(options: PagerDutySourceOptions): RosterSource {
  const { team, baseUrl, token, scheduleId, hasNumberFor, timeoutMs = 15_000, maxBytes = 10 * 1024 * 1024 } = options;
  const what = `PagerDuty's schedule of ${team}`;
  const headers = { accept: pagerDutyAccept, authorization: `Token token=${token.reveal()}` };

  async function fetchJson<Shape extends z.ZodType>(path: string, shape: Shape): Promise<z.output<Shape>> {
    const address = baseUrl.replace(/\/+$/, '') + path;
    const { body } = await fetchExternal(what, address, headers, { timeoutMs, maxBytes });
    const parsed = shape.safeParse(parseJson(body?.toString('utf8') ?? ''));
    if (parsed.success) return parsed.data;
    throw new Unreachable(
      `${what} cannot be read: ${parsed.error.issues[0]?.path.join('.') || 'the response'} is not as expected.`,
    );
  }

  async function fetchShifts({ from, to }: Span): Promise<Shift[]> {
    const query = new URLSearchParams({ since: from.toISOString(), until: to.toISOString(), overflow: 'true' });
    const { schedule } = await fetchJson(`/schedules/${encodeURIComponent(scheduleId)}?${query}`, scheduleResponse);
    return schedule.final_schedule.rendered_schedule_entries
      .map(({ user, start, end }) => ({
        personId: user.id,
        name: user.summary?.trim() || user.id,
        start: new Date(start),
        end: new Date(end),
      }))
      .filter(({ start, end }) => end > start)
      .sort(byStart);
  }

  async function fetchNumber(personId: string): Promise<string | undefined> {
    const path = `/users/${encodeURIComponent(personId)}/contact_methods`;
    const { contact_methods: methods } = await fetchJson(path, contactMethodsResponse);
    const phone = methods.find(({ type }) => type.startsWith('phone_contact_method'));
    return phone && `${phone.country_code ? `+${phone.country_code} ` : ''}${phone.address}`;
  }

  const cachedNumbers = new Map<string, { readonly number: string | undefined; readonly fetchedAtMs: number }>();

  /**
   * Returns a phone number, cached for an hour. On failure it returns the previous number, because
   * a roster is useful even without numbers.
   */
  async function getNumber(personId: string): Promise<string | undefined> {
    const cached = cachedNumbers.get(personId);
    if (cached && performance.now() - cached.fetchedAtMs < numberTtlMs) return cached.number;
    try {
      const number = await fetchNumber(personId);
      cachedNumbers.set(personId, { number, fetchedAtMs: performance.now() });
      return number;
    } catch (error) {
      if (error instanceof Unreachable) return cached?.number;
      throw error;
    }
  }

  return {
    kind: 'PagerDuty',
    async read(spans) {
      const shifts = await Promise.all(spans.map(fetchShifts));
      const names = new Map(shifts.flat().map(({ personId, name }) => [personId, name]));
      const numbers = new Map<string, string>();
      // Sequential, because PagerDuty limits the request rate.
      for (const [personId, name] of names) {
        const number = hasNumberFor(name) ? undefined : await getNumber(personId);
        if (number !== undefined) numbers.set(personId, number);
      }
      return { shifts, numbers };
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

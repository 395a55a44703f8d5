import { Unreachable } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import type { z } from 'zod';
import { type OutsideLimits, readOutside } from '../read-outside.ts';
import { byStart, type RosterSource, type Shift, type Span } from '../roster-source.ts';
import { contactMethodsAnswer, pagerDutyAccept, scheduleAnswer } from './wire.ts';

interface PagerDutySourceOptions extends Partial<OutsideLimits> {
  readonly team: string;
  /** `https://api.pagerduty.com`, or that of the European service. */
  readonly baseUrl: string;
  readonly token: Secret;
  readonly scheduleId: string;
  /**
   * Whether the number of somebody of this name is known anyway, so that PagerDuty need not be
   * asked.
   */
  readonly knowsNumberOf: (name: string) => boolean;
}

const rememberedMs = 60 * 60_000;

/** Reads the final schedule: layers and overrides already put together by PagerDuty. */
export function createPagerDutySource(options: PagerDutySourceOptions): RosterSource {
  const { team, baseUrl, token, scheduleId, knowsNumberOf, timeoutMs = 15_000, maxBytes = 10 * 1024 * 1024 } = options;
  const what = `PagerDuty's schedule of ${team}`;
  const headers = { accept: pagerDutyAccept, authorization: `Token token=${token.reveal()}` };

  async function ask<Shape extends z.ZodType>(path: string, shape: Shape): Promise<z.output<Shape>> {
    const address = baseUrl.replace(/\/+$/, '') + path;
    const { body } = await readOutside(what, address, headers, { timeoutMs, maxBytes });
    const parsed = shape.safeParse(jsonOf(body?.toString('utf8') ?? ''));
    if (parsed.success) return parsed.data;
    throw new Unreachable(
      `${what} cannot be read: ${parsed.error.issues[0]?.path.join('.') || 'the answer'} is not as expected.`,
    );
  }

  async function shiftsOf({ from, to }: Span): Promise<Shift[]> {
    const query = new URLSearchParams({ since: from.toISOString(), until: to.toISOString(), overflow: 'true' });
    const { schedule } = await ask(`/schedules/${encodeURIComponent(scheduleId)}?${query}`, scheduleAnswer);
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

  async function askNumber(personId: string): Promise<string | undefined> {
    const path = `/users/${encodeURIComponent(personId)}/contact_methods`;
    const { contact_methods: methods } = await ask(path, contactMethodsAnswer);
    const phone = methods.find(({ type }) => type.startsWith('phone_contact_method'));
    return phone && `${phone.country_code ? `+${phone.country_code} ` : ''}${phone.address}`;
  }

  const remembered = new Map<string, { readonly number: string | undefined; readonly askedAt: number }>();

  /**
   * Hours old at most. A roster is worth more than its numbers: where these are not to be had it
   * stands without.
   */
  async function numberOf(personId: string): Promise<string | undefined> {
    const found = remembered.get(personId);
    if (found && performance.now() - found.askedAt < rememberedMs) return found.number;
    try {
      const number = await askNumber(personId);
      remembered.set(personId, { number, askedAt: performance.now() });
      return number;
    } catch (error) {
      if (error instanceof Unreachable) return found?.number;
      throw error;
    }
  }

  return {
    kind: 'PagerDuty',
    async read(spans) {
      const shifts = await Promise.all(spans.map(shiftsOf));
      const names = new Map(shifts.flat().map(({ personId, name }) => [personId, name]));
      const numbers = new Map<string, string>();
      // One after another: PagerDuty counts how much it is asked.
      for (const [personId, name] of names) {
        const number = knowsNumberOf(name) ? undefined : await numberOf(personId);
        if (number !== undefined) numbers.set(personId, number);
      }
      return { shifts, numbers };
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The part of PagerDuty's REST API that readers of schedules use, as PagerDuty's document describes
 * it: required headers, ranges that are too long, both kinds of schedules, and a limit of calls.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Fault } from '../kit/faults.ts';
import { CallLimit } from './call-limit.ts';
import { listTurns, type Turn } from './turns.ts';

/**
 * What only PagerDuty does:
 * - `rate-limited`: refuses the call with 429 and `ratelimit-reset: 3`
 * - `refused`, `refused-by-field`: refuses the call with 400, and reasons as a list or an object
 * - `open-ended`: the last shift has no end
 * - `unassigned`: no shift has a person
 * - `unreadable`: the first shift has an end that is no time
 * - `no-entries`: the schedule is returned without its shifts
 * - `unnamed`: shifts name their person by id only
 */
export const pagerDutyFaults = [
  'rate-limited',
  'refused',
  'refused-by-field',
  'open-ended',
  'unassigned',
  'unreadable',
  'no-entries',
  'unnamed',
] as const;
type PagerDutyFault = (typeof pagerDutyFaults)[number];

interface SimulatedUser {
  readonly id: string;
  readonly name: string;
  /** The phone number in PagerDuty's parts; null for a user with only an email address. */
  readonly phone: { readonly country_code: number; readonly address: string } | null;
}

export interface SimulatedPagerDuty {
  readonly token: string;
  /** They take turns in every schedule. */
  readonly users: readonly SimulatedUser[];
  readonly scheduleIds: readonly string[];
  /** Schedules of the new kind, which only `/v3/schedules` returns. */
  readonly shiftBasedScheduleIds?: readonly string[];
  /** Default: 12, from 06:00 and from 18:00 UTC. */
  readonly turnHours?: number;
  /** Longer ranges are refused. Default: 90. */
  readonly maxDays?: number;
  /** Default: 960, as PagerDuty limits a token. */
  readonly maxCallsPerMinute?: number;
}

const dayMs = 86_400_000;
const range = z
  .object({
    since: z.iso.datetime({ offset: true }),
    until: z.iso.datetime({ offset: true }),
    overflow: z.enum(['true', 'false']).default('false'),
  })
  .transform(({ since, until, overflow }) => ({
    since: Date.parse(since),
    until: Date.parse(until),
    overflow: overflow === 'true',
  }));
const named = z.object({ id: z.string() });
const includes = z.object({ 'include[]': z.literal('final_schedule') });

export function registerPagerDutyRoutes(
  server: FastifyInstance,
  options: SimulatedPagerDuty,
  getFault: (request: FastifyRequest) => Fault<string> | undefined,
): void {
  const { token, users, scheduleIds, shiftBasedScheduleIds = [] } = options;
  const { turnHours = 12, maxDays = 90, maxCallsPerMinute = 960 } = options;
  const limit = new CallLimit(maxCallsPerMinute);
  const modeOf = (request: FastifyRequest) => getFault(request)?.mode as PagerDutyFault | undefined;

  const refuse = (reply: FastifyReply, status: number, message: string, errors?: unknown) =>
    reply.code(status).send({ error: { message, code: 2000 + (status % 100), ...(errors ? { errors } : {}) } });

  /** Returns the refusal of a call that breaks a rule of all calls, or undefined. */
  function findRefusal(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const { headers, url } = request;
    if (headers.authorization !== `Token token=${token}`) return refuse(reply, 401, 'Unauthorized');
    const budget = limit.count();
    reply.headers(budget.headers);
    if (!budget.isAllowed) return refuse(reply, 429, 'Rate Limit Exceeded');
    if (modeOf(request) === 'rate-limited')
      return refuse(reply.header('ratelimit-reset', '3'), 429, 'Rate Limit Exceeded');
    if (modeOf(request) === 'refused')
      return refuse(reply, 400, 'Invalid Input Provided', ['Time range is too long.', 'Ask for less.']);
    if (modeOf(request) === 'refused-by-field')
      return refuse(reply, 400, 'Invalid Request', { 'schedule.until': ['Time range is too long.'] });
    // The new kind has its version in the path.
    if (url.startsWith('/pagerduty/v3/')) return undefined;
    if (!/application\/vnd\.pagerduty\+json;version=2/.test(headers.accept ?? ''))
      return refuse(reply, 400, 'Invalid Input Provided', ['The Accept header does not name version 2.']);
    if (headers['content-type'] !== 'application/json')
      return refuse(reply, 400, 'Invalid Input Provided', ['The Content-Type header is not application/json.']);
    return undefined;
  }

  function readRange(request: FastifyRequest, reply: FastifyReply) {
    const query = range.safeParse(request.query);
    const reason = query.success ? `The range is longer than ${maxDays} days.` : 'since and until must be times.';
    if (query.success && query.data.until - query.data.since <= maxDays * dayMs) return query.data;
    const isNew = request.url.startsWith('/pagerduty/v3/');
    return refuse(reply, 400, 'Invalid Input Provided', isNew ? { 'schedule.until': [reason] } : [reason]);
  }

  server.get('/pagerduty/schedules/:id', (request, reply) => {
    const refusal = findRefusal(request, reply);
    if (refusal) return refusal;
    const { id } = named.parse(request.params);
    if (!scheduleIds.includes(id)) return refuse(reply, 404, 'Not Found');
    const asked = readRange(request, reply);
    if (!('since' in asked)) return asked;
    const mode = modeOf(request);
    const entries = clip(listTurns(users, turnHours * 3_600_000, asked.since, asked.until), asked).map(
      (turn, at, { length }) => ({
        start: toText(turn.start),
        end: mode === 'open-ended' && at === length - 1 ? null : toText(turn.end),
        ...(mode !== 'unassigned' && {
          user: {
            id: turn.user.id,
            type: 'user_reference',
            ...(mode !== 'unnamed' && { summary: turn.user.name }),
          },
        }),
        ...(mode === 'unreadable' && at === 0 && { end: 'soon' }),
      }),
    );
    const rendered = mode === 'no-entries' ? {} : { rendered_schedule_entries: entries };
    return {
      schedule: {
        id,
        type: 'schedule',
        name: id,
        time_zone: 'Etc/UTC',
        final_schedule: { name: 'Final Schedule', ...rendered },
      },
    };
  });

  server.get('/pagerduty/v3/schedules/:id', (request, reply) => {
    const refusal = findRefusal(request, reply);
    if (refusal) return refusal;
    const { id } = named.parse(request.params);
    if (!shiftBasedScheduleIds.includes(id)) return refuse(reply, 404, 'Not Found');
    const schedule = { id, type: 'schedule_v3', name: id, time_zone: 'Etc/UTC' };
    if (!includes.safeParse(request.query).success) return { schedule };
    const asked = readRange(request, reply);
    if (!('since' in asked)) return asked;
    const mode = modeOf(request);
    const assignments = clip(listTurns(users, turnHours * 3_600_000, asked.since, asked.until), asked).map(
      (turn, at) => ({
        type: 'computed_shift_assignment',
        start_time: toText(turn.start),
        end_time: mode === 'unreadable' && at === 0 ? 'soon' : toText(turn.end),
        member: mode === 'unassigned' ? { type: 'empty_member' } : { type: 'user_member', user_id: turn.user.id },
        source: { type: 'schedule_rotation', rotation_id: `${id}-ROTATION` },
      }),
    );
    const computed = mode === 'no-entries' ? {} : { computed_shift_assignments: assignments };
    return {
      schedule: {
        ...schedule,
        final_schedule: { type: 'final_schedule', rendered_coverage_percentage: 100, ...computed },
      },
    };
  });

  server.get('/pagerduty/users/:id', (request, reply) => {
    const refusal = findRefusal(request, reply);
    if (refusal) return refusal;
    const user = users.find((one) => one.id === named.parse(request.params).id);
    if (!user) return refuse(reply, 404, 'Not Found');
    const { id, name } = user;
    return { user: { id, type: 'user', summary: name, name, email: `${id.toLowerCase()}@company.example` } };
  });

  server.get('/pagerduty/users/:id/contact_methods', (request, reply) => {
    const refusal = findRefusal(request, reply);
    if (refusal) return refusal;
    const user = users.find((one) => one.id === named.parse(request.params).id);
    if (!user) return refuse(reply, 404, 'Not Found');
    const email = { id: `${user.id}-E`, type: 'email_contact_method', label: 'Default', address: 'a@company.example' };
    const phone = user.phone && { id: `${user.id}-P`, type: 'phone_contact_method', label: 'Mobile', ...user.phone };
    return { contact_methods: [email, ...(phone ? [phone] : [])] };
  });
}

/** Cuts turns to what was asked, unless the caller wants them whole. */
function clip(
  turns: Iterable<Turn<SimulatedUser>>,
  { since, until, overflow }: { since: number; until: number; overflow: boolean },
): Turn<SimulatedUser>[] {
  return Array.from(turns, (turn) =>
    overflow ? turn : { ...turn, start: Math.max(turn.start, since), end: Math.min(turn.end, until) },
  );
}

function toText(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * The part of PagerDuty's REST API that the portal reads: version 2, and version 3 for shift-based
 * schedules. Only what is needed is required, and a shift that cannot be read does not hide others.
 */
import { z } from 'zod';

/** The headers that PagerDuty's document requires of each call, also of those without a body. */
export const pagerDutyHeaders = {
  accept: 'application/vnd.pagerduty+json;version=2, application/json',
  'content-type': 'application/json',
};

const entries = z.nullish(z.array(z.unknown()).max(100_000));

/** `GET /schedules/{id}?since=&until=&overflow=true` */
export const scheduleResponse = z
  .object({ schedule: z.object({ final_schedule: z.nullish(z.object({ rendered_schedule_entries: entries })) }) })
  .transform(({ schedule }) => schedule.final_schedule?.rendered_schedule_entries ?? []);

/** `GET /v3/schedules/{id}?include[]=final_schedule&since=&until=&overflow=true` */
export const shiftBasedScheduleResponse = z
  .object({ schedule: z.object({ final_schedule: z.nullish(z.object({ computed_shift_assignments: entries })) }) })
  .transform(({ schedule }) => schedule.final_schedule?.computed_shift_assignments ?? []);

/** `GET /users/{id}` */
export const userResponse = z
  .object({ user: z.object({ name: z.nullish(z.string()), summary: z.nullish(z.string()) }) })
  .transform(({ user }) => user.name?.trim() || user.summary?.trim() || undefined);

/**
 * `GET /users/{id}/contact_methods`; only phone numbers matter, and only they have a country code.
 */
export const contactMethodsResponse = z.object({
  contact_methods: z.array(
    z.object({ type: z.string(), address: z.nullish(z.string()), country_code: z.nullish(z.number()) }),
  ),
});

/** An error response. Its reasons are a list of texts, or an object of lists by field. */
export const errorResponse = z.object({
  error: z.object({
    message: z.nullish(z.string()),
    errors: z.nullish(z.union([z.array(z.string()), z.record(z.string(), z.array(z.string()))])),
  }),
});

/** A shift as PagerDuty sends it. */
export interface Entry {
  readonly personId: string;
  /** Undefined where PagerDuty sends only the id. */
  readonly name: string | undefined;
  readonly start: Date;
  /** Null: it has no end. */
  readonly end: Date | null;
}

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const id = z.string().min(1);
const start = z.looseObject({ start: z.nullish(z.string()), start_time: z.nullish(z.string()) });

const entry = z
  .object({
    start: instant,
    end: z.nullish(instant),
    user: z.nullish(z.object({ id, summary: z.nullish(z.string()) })),
  })
  .transform(({ user, start, end }) => user && toEntry(user.id, user.summary, start, end));

const shiftAssignment = z
  .object({
    start_time: instant,
    end_time: z.nullish(instant),
    member: z.nullish(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('user_member'), user_id: id }),
        z.object({ type: z.literal('empty_member') }),
      ]),
    ),
  })
  .transform(({ member, start_time, end_time }) =>
    member?.type === 'user_member' ? toEntry(member.user_id, undefined, start_time, end_time) : undefined,
  );

function toEntry(personId: string, name: string | null | undefined, start: Date, end: Date | null | undefined): Entry {
  return { personId, name: name?.trim() || undefined, start, end: end ?? null };
}

export interface ReadEntries {
  readonly entries: readonly Entry[];
  /** The start of each shift that cannot be read, as far as that is known. */
  readonly unreadable: readonly (string | undefined)[];
}

/** Reads the shifts of a schedule. A shift without a person is none. */
export function readEntries(written: readonly unknown[], version: 2 | 3): ReadEntries {
  const shape = version === 2 ? entry : shiftAssignment;
  const found: Entry[] = [];
  const unreadable: (string | undefined)[] = [];
  for (const one of written) {
    const parsed = shape.safeParse(one);
    if (!parsed.success) unreadable.push(findStart(one));
    else if (parsed.data && (parsed.data.end === null || parsed.data.end > parsed.data.start)) found.push(parsed.data);
  }
  return { entries: found, unreadable };
}

function findStart(written: unknown): string | undefined {
  const parsed = start.safeParse(written);
  const time = instant.safeParse(parsed.data?.start ?? parsed.data?.start_time);
  return time.data?.toISOString();
}

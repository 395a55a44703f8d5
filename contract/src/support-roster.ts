import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

const short = z.string().check(z.maxLength(500));

export const getRosterTeams = endpoint({
  method: 'GET',
  path: '/portal-backend/api/support-roster/teams',
  summary: 'The support teams',
  access: 'session',
  request: null,
  response: z.array(z.string()),
});

/** One shift. The first three are the specification's. */
const rosterRowSchema = z.object({
  name: z.string(),
  /**
   * Its last digits only ("••• ••67"), null where nobody knows it; `revealNumber` tells it whole.
   */
  number: z.nullable(z.string()),
  /** YYYY-MM-DD on which the shift begins, in the environment's zone. */
  date: z.string(),
  /** ISO instants; shifts are whole, also where they cross the window's ends. */
  start: z.string(),
  end: z.string(),
  /** Finds the number. */
  personId: z.string(),
});
export type RosterRow = z.infer<typeof rosterRowSchema>;

/**
 * The shifts that touch the window, earliest first. `startDate`, `endDate`: YYYY-MM-DD in the
 * environment's zone, the end not included.
 */
export const getRoster = endpoint({
  method: 'POST',
  path: '/portal-backend/api/support-roster/roster',
  summary: 'Who of a team is on support when',
  access: 'session',
  request: z.object({ team: short, startDate: short, endDate: short }),
  response: z.array(rosterRowSchema),
});

/** Ours: audited. */
export const revealNumber = endpoint({
  method: 'POST',
  path: '/portal-backend/api/support-roster/reveal-number',
  summary: 'The telephone number of somebody on the roster',
  access: 'session',
  request: z.object({ team: short, personId: short }),
  response: z.object({ number: z.nullable(z.string()) }),
});

const shiftEndSchema = z.object({ name: z.string(), personId: z.string(), number: z.nullable(z.string()) });

/** Ours: who is on call for each team now; the one answer that every screen uses. */
const onCallSchema = z.object({
  team: z.string(),
  /** Everybody on shift now; empty in a gap. */
  now: z.array(z.object({ ...shiftEndSchema.shape, until: z.string() })),
  /** Who comes next, and when; null where nobody does within the next year. */
  next: z.nullable(z.object({ ...shiftEndSchema.shape, from: z.string() })),
  /** Spans of the next 30 days that nobody covers; ISO instants. */
  gaps: z.array(z.object({ from: z.string(), to: z.string() })),
  /** Where it comes from: 'calendar', 'PagerDuty', 'portal'. */
  source: z.string(),
  /**
   * When the source was read; older than usual where it cannot be reached, null where it never
   * could be.
   */
  readAt: z.nullable(z.string()),
  /** Why it could not be read anew; null when it could. */
  problem: z.nullable(z.string()),
});
export type OnCall = z.infer<typeof onCallSchema>;

export const getOnCall = endpoint({
  method: 'GET',
  path: '/portal-backend/api/support-roster/on-call',
  summary: 'Who is on call now, until when, and who is next',
  access: 'session',
  request: z.object({ team: z.optional(short) }),
  response: z.array(onCallSchema),
});

/** A shift of the portal's own table. */
const ownShiftSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Masked as in the roster. */
  number: z.nullable(z.string()),
  /** ISO instants. */
  start: z.string(),
  end: z.string(),
});
export type PortalShift = z.infer<typeof ownShiftSchema>;

/** So many shifts of a team are listed, those that begin last. */
export const maxPortalShifts = 5_000;

/**
 * Ours: the shifts of a team that is kept in the portal; 409 for a team that comes from elsewhere.
 */
export const getPortalShifts = endpoint({
  method: 'GET',
  path: '/portal-backend/api/support-roster/shifts',
  summary: 'The shifts of a team that the portal keeps',
  access: 'session',
  request: z.object({ team: short }),
  response: z.array(ownShiftSchema),
});

/** A shift as it is written down; instants are null where what was written is none. */
export interface ShiftDraft {
  readonly name: string;
  readonly start: string | null;
  readonly end: string | null;
}

/**
 * The first thing wrong with a shift, in words, and the field it is in; null when nothing is.
 * Shifts may overlap.
 */
export function findShiftError({
  name,
  start,
  end,
}: ShiftDraft): { field: 'name' | 'start' | 'end'; text: string } | null {
  if (name.trim() === '') return { field: 'name', text: 'Please enter a name' };
  if (start === null) return { field: 'start', text: 'Please enter when the shift begins' };
  if (end === null) return { field: 'end', text: 'Please enter when the shift ends' };
  return Date.parse(end) > Date.parse(start) ? null : { field: 'end', text: 'The shift must end after it begins' };
}

/**
 * `id` null: a new one. A number belongs to its person, in all shifts of this name: a masked one
 * leaves it as it is, and so does null for a new shift; otherwise null removes it.
 */
export const savePortalShift = endpoint({
  method: 'POST',
  path: '/portal-backend/api/support-roster/shifts',
  summary: 'Save a shift',
  access: 'session',
  request: z.object({
    team: short,
    id: z.nullable(short),
    name: short,
    number: z.nullable(z.string().check(z.maxLength(40))),
    start: short,
    end: short,
  }),
  response: ownShiftSchema,
});

export const deletePortalShift = endpoint({
  method: 'DELETE',
  path: '/portal-backend/api/support-roster/shifts/:shiftId',
  summary: 'Remove a shift',
  access: 'session',
  request: z.object({ team: short }),
  response: z.object({ deleted: z.literal(true) }),
});

/** What an import of a text would bring, and what is wrong with it. */
const importPreviewSchema = z.object({
  shiftCount: z.number(),
  /** The first shifts. Their numbers are those of the text. */
  shifts: z.array(z.object({ name: z.string(), number: z.nullable(z.string()), start: z.string(), end: z.string() })),
  faultCount: z.number(),
  /** The first faults, by line of the text, which counts from 1. */
  faults: z.array(z.object({ line: z.number(), text: z.string() })),
});
export type ImportPreview = z.infer<typeof importPreviewSchema>;

/**
 * Columns name, number, start, end, with a line of headers; times as ISO, or as "YYYY-MM-DD HH:MM"
 * in the environment's zone. All lines or none: 400 names each faulty line. `replace` removes what
 * the team had. `dryRun` imports nothing, and answers a `preview` also of a faulty text.
 */
export const importShifts = endpoint({
  method: 'POST',
  path: '/portal-backend/api/support-roster/import',
  summary: 'Import shifts from CSV',
  access: 'session',
  request: z.object({
    team: short,
    csv: z.string().check(z.maxLength(900_000)),
    replace: z.optional(z.boolean()),
    dryRun: z.optional(z.boolean()),
  }),
  response: z.object({ imported: z.number(), preview: z.optional(importPreviewSchema) }),
});

/**
 * The specified window: 1 January of the year to 1 January of the next, by the clock of the zone.
 */
export function yearWindow(now: Date, timeZone: string): { startDate: string; endDate: string } {
  const year = Number(new Intl.DateTimeFormat('en', { year: 'numeric', timeZone }).format(now));
  return { startDate: `${year}-01-01`, endDate: `${year + 1}-01-01` };
}

import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { bulk, light } from './rules.ts';

const shortText = z.string().check(z.maxLength(500));

export const getRosterTeams = endpoint({
  method: 'GET',
  path: '/portal-backend/api/support-roster/teams',
  summary: 'List the support teams',
  may: 'roster.view',
  about: { team: null },
  recorded: false,
  cost: light(),
  request: null,
  response: z.array(z.string()),
});

/** A masked number shows only its last digits: "••• ••67". */
export function isMaskedNumber(number: string): boolean {
  return number.includes('•');
}

/** Phone numbers are personal data: the trail states who has seen those of which team. */
const numbersViewed = { action: 'roster.view', description: 'Phone numbers viewed', isView: true } as const;

/** One shift. The specification defines the first three fields. */
const rosterRowSchema = z.object({
  name: z.string(),
  /**
   * The phone number; null if unknown. Masked where the portal is configured so; `revealNumber`
   * then returns it in full.
   */
  number: z.nullable(z.string()),
  /** Start date of the shift as YYYY-MM-DD, in the environment's time zone. */
  date: z.string(),
  /** ISO instants. Shifts that extend beyond the window are not clipped. */
  start: z.string(),
  end: z.string(),
  /** Identifies the person in `revealNumber`. */
  personId: z.string(),
});
export type RosterRow = z.infer<typeof rosterRowSchema>;

/**
 * Returns the shifts that overlap the window, earliest first. `startDate` and `endDate` are
 * YYYY-MM-DD in the environment's time zone; the end is exclusive.
 */
export const getRoster = endpoint({
  method: 'POST',
  path: '/portal-backend/api/support-roster/roster',
  summary: 'List the shifts of a team',
  may: 'roster.view',
  about: { team: 'team' },
  recorded: numbersViewed,
  cost: light(),
  request: z.object({ team: shortText, startDate: shortText, endDate: shortText }),
  response: z.array(rosterRowSchema),
});

/** Portal extension, for masked numbers: audited. */
export const revealNumber = endpoint({
  method: 'POST',
  path: '/portal-backend/api/support-roster/reveal-number',
  summary: 'Reveal the phone number of a person on the roster',
  may: 'roster.reveal',
  about: { team: 'team' },
  recorded: { action: 'roster.reveal', description: 'Phone number revealed', isReveal: true },
  cost: light(),
  request: z.object({ team: shortText, personId: shortText }),
  response: z.object({ number: z.nullable(z.string()) }),
});

const onCallPersonSchema = z.object({
  name: z.string(),
  personId: z.string(),
  /** As in the roster; absent unless the request asks for numbers. */
  number: z.optional(z.nullable(z.string())),
});

/**
 * Portal extension: who is on call for each team at a moment. All screens use this response. "Now"
 * is that moment.
 */
const onCallSchema = z.object({
  team: z.string(),
  /** Everyone on shift now; empty in a gap. */
  now: z.array(z.object({ ...onCallPersonSchema.shape, until: z.string() })),
  /** Who is next, and when; null if there is no shift within the next year. */
  next: z.nullable(z.object({ ...onCallPersonSchema.shape, from: z.string() })),
  /** Uncovered spans within the next 30 days; ISO instants. */
  gaps: z.array(z.object({ from: z.string(), to: z.string() })),
  /** The source of the shifts: 'calendar', 'PagerDuty', 'portal'. */
  source: z.string(),
  /** When the source was last read; null if it never was. */
  readAt: z.nullable(z.string()),
  /** Why the last attempt to read the source failed; null if it succeeded. */
  problem: z.nullable(z.string()),
  /** What may be missing or wrong, such as shifts that could not be read. */
  warnings: z.array(z.string()),
  /** What was left out on purpose, such as events that are no shifts. */
  notes: z.array(z.string()),
});
export type OnCall = z.infer<typeof onCallSchema>;

/** Whether a gap means that no one is on call, and not that shifts may be missing. */
export function isRosterComplete({ readAt, warnings }: Pick<OnCall, 'readAt' | 'warnings'>): boolean {
  return readAt !== null && warnings.length === 0;
}

/** States that no one is on call for the team, or that its roster may lack the person. */
export function describeNoOneOnCall(state: OnCall): string {
  return isRosterComplete(state) ? 'No one is on call' : 'No one is known to be on call';
}

/** `at` is another moment than now, such as that of a deployment. */
export const getOnCall = endpoint({
  method: 'GET',
  path: '/portal-backend/api/support-roster/on-call',
  summary:
    'Get who is on call now or at a moment, until when, and who is next; first the teams with an app that the caller sees',
  may: 'roster.view',
  about: { team: 'team' },
  recorded: numbersViewed,
  cost: light(),
  request: z.object({
    team: z.optional(shortText),
    /** An ISO instant; now if absent. */
    at: z.optional(shortText),
    /** Whether to include phone numbers. Only then is the call recorded. */
    numbers: z.optional(z.literal('true')),
  }),
  response: z.array(onCallSchema),
});

/** A portal-managed shift. */
const portalShiftSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** As in the roster. */
  number: z.nullable(z.string()),
  /** ISO instants. */
  start: z.string(),
  end: z.string(),
});
export type PortalShift = z.infer<typeof portalShiftSchema>;

/** The maximum number of listed shifts per team; those with the latest start are listed. */
export const maxPortalShifts = 5_000;

/** Portal extension: the shifts of a portal-managed team; 409 for a team from another source. */
export const getPortalShifts = endpoint({
  method: 'GET',
  path: '/portal-backend/api/support-roster/shifts',
  summary: 'List the portal-managed shifts of a team',
  may: 'roster.view',
  about: { team: 'team' },
  recorded: numbersViewed,
  cost: light(),
  request: z.object({ team: shortText }),
  response: z.array(portalShiftSchema),
});

/** A shift as entered by the user; an instant is null if the text cannot be parsed. */
export interface ShiftDraft {
  readonly name: string;
  readonly start: string | null;
  readonly end: string | null;
}

/** Returns the first error of a shift and its field, or null. Shifts may overlap. */
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
 * Creates a shift if `id` is null. A number belongs to a person and applies to all shifts with this
 * name. A masked number leaves it unchanged, as does null for a new shift; for an existing shift,
 * null removes it.
 */
export const savePortalShift = endpoint({
  method: 'POST',
  path: '/portal-backend/api/support-roster/shifts',
  summary: 'Save a shift',
  may: 'roster.change',
  about: { team: 'team' },
  recorded: { action: 'roster.change', description: 'Shift saved' },
  cost: light(),
  request: z.object({
    team: shortText,
    id: z.nullable(shortText),
    name: shortText,
    number: z.nullable(z.string().check(z.maxLength(40))),
    start: shortText,
    end: shortText,
  }),
  response: portalShiftSchema,
});

export const deletePortalShift = endpoint({
  method: 'DELETE',
  path: '/portal-backend/api/support-roster/shifts/:shiftId',
  summary: 'Delete a shift',
  may: 'roster.change',
  about: { team: 'team' },
  recorded: { action: 'roster.change', description: 'Shift removed' },
  cost: light(),
  request: z.object({ team: shortText }),
  response: z.object({ deleted: z.literal(true) }),
});

/** The result that an import of the text would have, and its errors. */
const importPreviewSchema = z.object({
  /** The number of valid shifts; not of all if there are more faults than listed. */
  shiftCount: z.number(),
  /** The first shifts, with the unmasked numbers of the text. */
  shifts: z.array(z.object({ name: z.string(), number: z.nullable(z.string()), start: z.string(), end: z.string() })),
  /** The first errors, by line of the text, starting at 1. */
  faults: z.array(z.object({ line: z.number(), text: z.string() })),
  /** Whether there are more errors than listed. */
  hasMoreFaults: z.boolean(),
});
export type ImportPreview = z.infer<typeof importPreviewSchema>;

/** An import of shifts. Its shifts appear on the roster when it is done, and not if it failed. */
const shiftImportSchema = z.object({
  id: z.string(),
  /** The user who started it. */
  username: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  /** The number of shifts added so far, and of all shifts to add. */
  added: z.number(),
  total: z.number(),
  /** Why it failed; null if it did not. */
  problem: z.nullable(z.string()),
});
export type ShiftImport = z.infer<typeof shiftImportSchema>;

/**
 * Imports CSV with the columns name, number, start, end and a header line, of at most 15,000 lines
 * and 50 columns. Times are ISO, or "YYYY-MM-DD HH:MM" in the environment's time zone. Imports all
 * lines or none; the 400 response lists the first invalid lines. `replace` deletes the team's
 * existing shifts. `dryRun` imports nothing, and returns a `preview` even if the text has errors.
 *
 * A large import continues after the response, which then has its `job` and `imported` 0.
 * `getShiftImport` reports its progress. While it runs, other imports of the team are refused with
 * 409.
 */
export const importShifts = endpoint({
  method: 'POST',
  path: '/portal-backend/api/support-roster/import',
  summary: 'Import shifts from CSV',
  may: 'roster.change',
  about: { team: 'team' },
  recorded: { action: 'roster.change', description: 'Shifts imported' },
  cost: bulk({ maxBodyBytes: 1024 * 1024 }),
  request: z.object({
    team: shortText,
    csv: z.string().check(z.maxLength(900_000)),
    replace: z.optional(z.boolean()),
    dryRun: z.optional(z.boolean()),
  }),
  response: z.object({
    imported: z.number(),
    preview: z.optional(importPreviewSchema),
    job: z.optional(shiftImportSchema),
  }),
});

/** The team's import that is running or has ended within the last five minutes. */
export const getShiftImport = endpoint({
  method: 'GET',
  path: '/portal-backend/api/support-roster/import',
  summary: 'Get the progress of an import of shifts',
  may: 'roster.change',
  about: { team: 'team' },
  recorded: false,
  cost: light(),
  request: z.object({ team: shortText }),
  response: z.object({ job: z.nullable(shiftImportSchema) }),
});

/**
 * Returns the specified window: 1 January of the current year to 1 January of the next, in the
 * given time zone.
 */
export function getYearWindow(now: Date, timeZone: string): { startDate: string; endDate: string } {
  const year = Number(new Intl.DateTimeFormat('en', { year: 'numeric', timeZone }).format(now));
  return { startDate: `${year}-01-01`, endDate: `${year + 1}-01-01` };
}

import type { OnCall } from '@portal/contract/support-roster';
import { Unreachable } from '@portal/kit/problems';
import type { Span } from '@portal/platforms/roster/roster-source';
import {
  findGaps,
  findOnCall,
  getGapSpan,
  getNearOnCallSpan,
  getOnCallSpan,
  isIndependentOf,
  type OnCallPeriod,
  type OnCallStatus,
} from './on-call.ts';
import type { PeopleList } from './phone-numbers.ts';
import type { SupportTeam, TeamReading } from './support-team.ts';

/** What to read of each team: at which moment, and whether with phone numbers. */
export interface OnCallQuery {
  readonly at: Date;
  readonly withNumbers: boolean;
}

/**
 * Reads who is on call for the team. If the source was never reached, the result is empty and
 * contains the problem.
 */
export async function readOnCall(
  team: SupportTeam,
  people: PeopleList,
  { at, withNumbers }: OnCallQuery,
): Promise<OnCall> {
  const about = { team: team.name, source: team.kind };
  let found: { readonly reading: TeamReading; readonly status: OnCallStatus };
  try {
    found = await findInRoster(team, at);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return { ...about, ...nothing, problem: error.message };
  }
  const { reading, status } = found;
  const { readAt, problem, warnings, notes } = reading;
  const { now: periods, next, gaps } = status;
  const person = ({ personId, name }: OnCallPeriod) => ({
    personId,
    name,
    ...(withNumbers && { number: people.show(findNumber(reading, people, { personId, name })) }),
  });
  return {
    ...about,
    now: periods.map((period) => ({ ...person(period), until: period.to.toISOString() })),
    next: next && { ...person(next), from: next.from.toISOString() },
    gaps: gaps.map(({ from, to }) => ({ from: from.toISOString(), to: to.toISOString() })),
    readAt: readAt.toISOString(),
    problem,
    warnings: [...warnings],
    notes: [...notes],
  };
}

const nothing: Omit<OnCall, 'team' | 'source' | 'problem'> = {
  now: [],
  next: null,
  gaps: [],
  readAt: null,
  warnings: [],
  notes: [],
};

export interface RosterGaps {
  readonly team: string;
  /** Uncovered spans of the next 30 days. */
  readonly gaps: readonly Span[];
  /** Whether shifts may be missing in the roster. */
  readonly isIncomplete: boolean;
  /** Why the source was never reached; null if it was. */
  readonly problem: string | null;
}

/** Reads when no one is on call for the team. */
export async function readGaps(team: SupportTeam, now: Date): Promise<RosterGaps> {
  const span = getGapSpan(now);
  try {
    const { shifts, warnings } = await team.read(span);
    return { team: team.name, gaps: findGaps(shifts, span), isIncomplete: warnings.length > 0, problem: null };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return { team: team.name, gaps: [], isIncomplete: true, problem: error.message };
  }
}

async function findInRoster(team: SupportTeam, now: Date) {
  const near = getNearOnCallSpan(now);
  const reading = await team.read(near);
  const status = findOnCall(reading.shifts, now);
  if (isIndependentOf(status, near)) return { reading, status };
  const wholeReading = await team.read(getOnCallSpan(now));
  return { reading: wholeReading, status: findOnCall(wholeReading.shifts, now) };
}

/** Returns the number in plain text; null if unknown. */
export function findNumber(
  { numbers }: Pick<TeamReading, 'numbers'>,
  people: PeopleList,
  { personId, name }: Pick<OnCallPeriod, 'personId' | 'name'>,
): string | null {
  return numbers.get(personId) ?? people.findNumber(name) ?? null;
}

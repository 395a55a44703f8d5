import type { RequestOf } from '@portal/contract/endpoint';
import {
  findShiftError,
  isMaskedNumber,
  type PortalShift,
  type savePortalShift,
} from '@portal/contract/support-roster';
import { InvalidPayload } from '@portal/edge/problems';
import type { Pool } from '@portal/kit/postgres/pool';
import { Conflict, NotFound } from '@portal/kit/problems';
import type { Noted } from '../../../access/enforcer.ts';
import type { PeopleList } from '../phone-numbers.ts';
import type { SupportTeam } from '../support-team.ts';
import {
  findShift,
  type NewShift,
  removeShift,
  type StoredShift,
  saveShift,
  type TeamKey,
} from './portal-shifts.store.ts';
import { readInstant } from './shift-times.ts';

/** Throws Conflict if the team's roster comes from an external source. */
export function requirePortalTeam({ name, environment, kind }: SupportTeam): TeamKey {
  if (kind !== 'portal') throw new Conflict(`The roster of ${name} comes from ${sources[kind]}. Change it there.`);
  return { environment, team: name };
}

const sources = { calendar: 'a calendar', PagerDuty: 'PagerDuty' } as const;

/** Converts a shift for display. */
export function toPortalShift({ id, name, number, start, end }: StoredShift, people: PeopleList): PortalShift {
  return {
    id,
    name,
    number: people.show(number),
    start: start.toISOString(),
    end: end.toISOString(),
  };
}

interface ShiftCall {
  readonly team: SupportTeam;
  readonly people: PeopleList;
  readonly noted: Noted;
}

/** Adds or updates a shift; shifts may overlap. Throws InvalidPayload, Conflict, NotFound. */
export async function saveRosterShift(
  pool: Pool,
  { team, people, noted }: ShiftCall,
  { id, ...draft }: RequestOf<typeof savePortalShift>,
): Promise<PortalShift> {
  noted.description = id === null ? 'Shift added' : 'Shift changed';
  const where = requirePortalTeam(team);
  const before = id === null ? undefined : await requireShift(pool, where, id);
  const saved = await saveShift(pool, where, id, toNewShift(draft, before));
  const shift = saved === undefined ? undefined : await findShift(pool, where, saved);
  if (!shift) throw shiftNotFound();
  noted.before = before && toAuditedShift(before);
  noted.after = toAuditedShift(shift);
  return toPortalShift(shift, people);
}

/** Throws NotFound if the shift no longer exists. */
export async function removeRosterShift(
  pool: Pool,
  { team, noted }: Omit<ShiftCall, 'people'>,
  id: string,
): Promise<void> {
  const where = requirePortalTeam(team);
  const before = await requireShift(pool, where, id);
  if (!(await removeShift(pool, where, id))) throw shiftNotFound();
  noted.before = toAuditedShift(before);
}

function toNewShift(
  { name, number, start, end }: Omit<RequestOf<typeof savePortalShift>, 'team' | 'id'>,
  before: StoredShift | undefined,
): NewShift {
  const [from, to] = [readInstant(start), readInstant(end)];
  const error = findShiftError({ name, start: from?.toISOString() ?? null, end: to?.toISOString() ?? null });
  if (error || !from || !to) {
    const { field, text } = error ?? { field: 'start', text: 'Please enter when the shift begins' };
    throw new InvalidPayload({ [field]: text }, `${text}.`);
  }
  return { name: name.trim(), number: resolveNumber(number, name.trim(), before), start: from, end: to };
}

function resolveNumber(sent: string | null, name: string, before: StoredShift | undefined): NewShift['number'] {
  const number = sent?.trim() || null;
  if (number === null) return before ? null : undefined;
  if (!isMaskedNumber(number)) return number;
  // A corrected name keeps its number.
  return before && before.name !== name && before.number !== null ? before.number : undefined;
}

/** Omits the phone number, because audit entries cannot be deleted. */
function toAuditedShift({ name, start, end }: StoredShift): unknown {
  return { name, start: start.toISOString(), end: end.toISOString() };
}

async function requireShift(pool: Pool, where: TeamKey, id: string): Promise<StoredShift> {
  const shift = await findShift(pool, where, id);
  if (!shift) throw shiftNotFound();
  return shift;
}

function shiftNotFound(): NotFound {
  return new NotFound('This shift no longer exists.');
}

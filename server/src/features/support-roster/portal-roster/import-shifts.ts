import type { RequestOf } from '@portal/contract/endpoint';
import type { ImportPreview, importShifts } from '@portal/contract/support-roster';
import { Invalid } from '@portal/kit/problems';
import type { Dependencies } from '../../../dependencies.ts';
import type { Caller } from '../../../session/caller.ts';
import type { SupportTeams } from '../support-teams.ts';
import { requireChangePermission, runAuditedChange } from './change-portal-shifts.ts';
import { addShifts, type NewShift } from './portal-shifts.store.ts';
import { type CsvReading, readShiftsCsv } from './read-shifts-csv.ts';

/** Maximum number of faults listed in an error message. */
const maxListed = 20;
/** Maximum numbers of shifts and faults in a preview. */
const maxShown = { shifts: 5, faults: 50 };

type ImportRequest = RequestOf<typeof importShifts>;

/**
 * Imports all shifts of a CSV text or none, and returns how many. Throws Invalid with each faulty
 * line.
 */
export async function importRosterShifts(
  dependencies: Pick<Dependencies, 'permissions' | 'audit' | 'heavyWork'>,
  teams: SupportTeams,
  caller: Caller,
  { team, csv, replace = false }: ImportRequest,
): Promise<number> {
  return runAuditedChange(dependencies, teams, caller, team, 'Shifts imported', async (where) => {
    const shifts = requireShifts(readShiftsCsv(csv, caller.environment.timeZone));
    const removed = await dependencies.heavyWork.run(caller, (pool) => addShifts(pool, where, shifts, { replace }));
    return { result: shifts.length, after: { imported: shifts.length, removed } };
  });
}

/** Previews an import without changing or auditing anything. */
export async function previewRosterImport(
  dependencies: Pick<Dependencies, 'permissions'>,
  teams: SupportTeams,
  caller: Caller,
  { team, csv }: ImportRequest,
): Promise<ImportPreview> {
  await requireChangePermission(dependencies, teams, caller, team);
  const { shifts, faults } = readShiftsCsv(csv, caller.environment.timeZone);
  return {
    shiftCount: shifts.length,
    shifts: shifts.slice(0, maxShown.shifts).map(({ name, number, start, end }) => ({
      name,
      number: number ?? null,
      start: start.toISOString(),
      end: end.toISOString(),
    })),
    faultCount: faults.length,
    faults: faults.slice(0, maxShown.faults).map(({ line, text }) => ({ line, text })),
  };
}

function requireShifts({ shifts, faults }: CsvReading): readonly NewShift[] {
  const [first] = faults;
  if (!first) return shifts;
  if (first.refusal !== undefined) throw new Invalid(first.refusal);
  const named = faults.slice(0, maxListed).map(({ line, text }) => `Line ${line}: ${text}`);
  const remaining = faults.length > maxListed ? ` And ${faults.length - maxListed} more.` : '';
  throw new Invalid(`Nothing was imported. ${named.join(' ')}${remaining}`);
}

import { deletePortalShift, importShifts, type PortalShift, savePortalShift } from '@portal/contract/support-roster';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { formatPlural } from '../../lib/format.ts';
import { useCall } from '../../lib/use-call.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';
import { shiftChanges } from './use-roster.ts';

/** A shift to be kept; `id` null for a new one. */
export type ShiftSave = Omit<PortalShift, 'id'> & { readonly id: string | null };

/**
 * The changes of a team the portal keeps; the whole roster is asked for anew after each. `onDone`:
 * it has happened.
 */
export function useShiftChanges(team: string, onDone: () => void) {
  const done = (text: string) => {
    showSuccess('Success', text);
    onDone();
  };
  const save = useMutation({
    mutationFn: (shift: ShiftSave) => call(savePortalShift, { team, ...shift }),
    onSuccess: ({ name }) => done(`The shift of ${name} is saved.`),
    onError: (problem) => showProblem('Unable to save the shift', problem),
    meta: { changes: shiftChanges },
  });
  const remove = useMutation({
    mutationFn: ({ id }: PortalShift) => call(deletePortalShift, { team }, { params: { shiftId: id } }),
    onSuccess: (_, { name }) => done(`The shift of ${name} is removed.`),
    onError: (problem) => showProblem('Unable to remove the shift', problem),
    meta: { changes: shiftChanges },
  });
  // What is wrong with a file is told beside it, where it can be put right.
  const importCsv = useMutation({
    mutationFn: (request: { csv: string; replace: boolean }) => call(importShifts, { team, ...request }),
    onSuccess: ({ imported }) => done(`${formatPlural(imported, 'shift')} imported.`),
    meta: { changes: shiftChanges },
  });
  return { save, remove, importCsv };
}

/** Asks the server what an import of this text would bring. Nothing is asked while it is empty. */
export function useImportPreview(team: string, csv: string) {
  return useCall(
    importShifts,
    { team, csv, dryRun: true },
    {
      select: ({ preview }) => preview ?? null,
      enabled: csv.trim() !== '',
      // A text may have a megabyte: none is stored after the next one.
      gcTime: 0,
      staleTime: Number.POSITIVE_INFINITY,
    },
  );
}

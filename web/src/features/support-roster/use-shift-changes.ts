import { deletePortalShift, importShifts, type PortalShift, savePortalShift } from '@portal/contract/support-roster';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { useCall } from '../../api/use-call.ts';
import { formatPlural } from '../../format/numbers.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';
import { shiftChanges } from './use-roster.ts';

/** A shift to save; `id` is null for a new one. */
export type ShiftSave = Omit<PortalShift, 'id'> & { readonly id: string | null };

/**
 * Changes the shifts of a team managed in the portal; each change reloads the roster. `onDone` is
 * called after a success.
 */
export function useShiftChanges(team: string, onDone: () => void) {
  const done = (text: string) => {
    showSuccess('Success', text);
    onDone();
  };
  const save = useMutation({
    mutationFn: (shift: ShiftSave) => call(savePortalShift, { team, ...shift }),
    onSuccess: ({ name }) => done(`The shift of ${name} was saved.`),
    onError: (problem) => showProblem('Unable to save the shift', problem),
    meta: { changes: shiftChanges },
  });
  const remove = useMutation({
    mutationFn: ({ id }: PortalShift) => call(deletePortalShift, { team }, { params: { shiftId: id } }),
    onSuccess: (_, { name }) => done(`The shift of ${name} was removed.`),
    onError: (problem) => showProblem('Unable to remove the shift', problem),
    meta: { changes: shiftChanges },
  });
  // The import dialog shows errors itself, next to the text that causes them.
  const importCsv = useMutation({
    mutationFn: (request: { csv: string; replace: boolean }) => call(importShifts, { team, ...request }),
    // The page shows the progress of an import that is still running.
    onSuccess: ({ imported, job }) => (job ? onDone() : done(`${formatPlural(imported, 'shift')} imported.`)),
    meta: { changes: shiftChanges },
  });
  return { save, remove, importCsv };
}

/** Previews the import of a text; idle while it is empty. */
export function useImportPreview(team: string, csv: string) {
  return useCall(
    importShifts,
    { team, csv, dryRun: true },
    {
      select: ({ preview }) => preview ?? null,
      enabled: csv.trim() !== '',
      // The text can be a megabyte, so its preview is not cached.
      gcTime: 0,
      staleTime: Number.POSITIVE_INFINITY,
    },
  );
}

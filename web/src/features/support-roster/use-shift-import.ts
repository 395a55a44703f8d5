import { getShiftImport, importShifts, type ShiftImport } from '@portal/contract/support-roster';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { invalidateAfter, useCall } from '../../api/use-call.ts';
import { formatPlural } from '../../format/numbers.ts';
import { showSuccess } from '../../ui/popups.ts';

const pollMs = 1_000;

/**
 * Loads the team's import that is running or has ended recently. Reports an import that ends while
 * the page shows it, and then reloads the roster.
 */
export function useShiftImport(team: string): ShiftImport | null {
  const client = useQueryClient();
  const { data } = useCall(
    getShiftImport,
    { team },
    {
      invalidatedBy: [importShifts],
      refetchInterval: ({ state }) => (state.data?.job?.state === 'running' ? pollMs : false),
    },
  );
  const job = data?.job ?? null;
  const shownId = useRef<string>(undefined);
  useEffect(() => {
    if (job?.state === 'running') {
      shownId.current = job.id;
    } else if (job !== null && job.id === shownId.current) {
      shownId.current = undefined;
      if (job.state === 'done') showSuccess('Success', `${formatPlural(job.total, 'shift')} imported.`);
      void invalidateAfter(client, [importShifts]);
    }
  }, [client, job]);
  return job;
}

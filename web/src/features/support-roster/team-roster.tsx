import type { RosterRow } from '@portal/contract/support-roster';
import { lazy, Suspense, useLayoutEffect, useMemo, useRef } from 'react';
import { getServerNow } from '../../api/server-clock.ts';
import { useSession } from '../../session/use-session.ts';
import { useAddress } from '../../state/use-address.ts';
import { readTableAddress } from '../../ui/table/address.ts';
import { DataTable } from '../../ui/table/data-table.tsx';
import { useTableState } from '../../ui/table/use-table-state.ts';
import { identifyShifts } from './identify-shifts.ts';
import { OnCallPanel } from './on-call-panel.tsx';
import { getRosterColumns, isOnCallNow } from './roster-columns.tsx';
import styles from './support-roster.module.css';
import { useOnCall, useRoster } from './use-roster.ts';

/** In a separate chunk with its time zone library, because most teams are managed elsewhere. */
const PortalShifts = lazy(() => import('./portal-shifts.tsx').then((file) => ({ default: file.PortalShifts })));

const table = { name: 'Team members', defaultSort: { id: 'date', descending: false }, pageSize: 10, prefix: '' };

/**
 * One team: who is on call now or at a moment, the shifts of the year, and controls to change them
 * if the portal manages the team.
 */
export function TeamRoster({ team, at }: { team: string; at: Date | null }) {
  const { session } = useSession();
  const { timeZone } = session.environment;
  const roster = useRoster(team);
  const onCall = useOnCall(team);
  const onCallThen = useOnCall(team, at);
  const isPortalManaged = onCall.data?.find((one) => one.team === team)?.source === 'portal';
  const shifts = useMemo(() => roster.data && identifyShifts(roster.data), [roster.data]);
  const columns = useMemo(() => getRosterColumns(team, timeZone), [team, timeZone]);
  useOpenAtToday(roster.data);
  return (
    <>
      <OnCallPanel team={team} at={at} load={onCallThen} />
      <div className={styles.section}>
        <h2>Team members</h2>
        <DataTable
          name={table.name}
          rows={shifts}
          rowId={({ id }) => id}
          columns={columns}
          defaultSort={table.defaultSort}
          pageSize={table.pageSize}
          lineNumbers
          rowTone={(row) => (isOnCallNow(row) ? 'primary' : null)}
          loading={roster.isFetching}
          error={roster.error}
          onRetry={() => void roster.refetch()}
          csvName={`${team} support roster`}
          emptyText="No one is on the roster this year."
        />
      </div>
      {isPortalManaged && (
        <Suspense>
          <PortalShifts team={team} />
        </Suspense>
      )}
    </>
  );
}

/** Opens the table at today's page, unless the user has already paged, sorted or searched. */
function useOpenAtToday(rows: readonly RosterRow[] | undefined): void {
  const [address] = useAddress();
  const { size, setPage } = useTableState(table.name, table);
  const wasOpened = useRef(false);
  useLayoutEffect(() => {
    if (rows === undefined || wasOpened.current) return;
    wasOpened.current = true;
    const { q, sort, page } = readTableAddress(address);
    const today = rows.findIndex((row) => Date.parse(row.end) > getServerNow());
    if (q === '' && sort === null && page === 1 && today >= size) setPage(Math.floor(today / size) + 1);
  }, [rows, address, size, setPage]);
}

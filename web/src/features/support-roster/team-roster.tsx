import { Checkbox } from '@mantine/core';
import { useMemo } from 'react';
import { useAddressValue } from '../../lib/use-address.ts';
import { useSession } from '../../session/use-session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { OnCallPanel } from './on-call-panel.tsx';
import { OwnShifts } from './own-shifts.tsx';
import { isNow, rosterColumnsOf } from './roster-columns.tsx';
import styles from './support-roster.module.css';
import { useOnCall, useRoster } from './use-roster.ts';

const isSpan = (text: string) => text === 'year' || text === 'today';

/** One team: who is on call, the shifts of the year, and for a team that the portal keeps the means to change them. */
export function TeamRoster({ team }: { team: string }) {
  const { session } = useSession();
  const { timeZone } = session.environment;
  const roster = useRoster(team);
  const onCall = useOnCall(team);
  const state = onCall.data?.find((one) => one.team === team);
  const [from, setFrom] = useAddressValue<string>('from', 'year', isSpan);
  const columns = useMemo(() => rosterColumnsOf(team, timeZone), [team, timeZone]);
  const rows = useMemo(
    () => (from === 'today' ? roster.data?.filter((row) => Date.parse(row.end) > Date.now()) : roster.data),
    [roster.data, from],
  );
  return (
    <>
      <OnCallPanel team={team} load={onCall} />
      <div className={styles.section}>
        <h2>Team members</h2>
        <DataTable
          name="Team members"
          rows={rows}
          rowId={(row) => `${row.personId} ${row.start} ${row.end}`}
          columns={columns}
          defaultSort={{ id: 'date', descending: false }}
          lineNumbers
          rowTone={(row) => (isNow(row) ? 'primary' : null)}
          loading={roster.isFetching}
          error={roster.error}
          onRetry={() => void roster.refetch()}
          csvName={`${team} support roster`}
          emptyText={
            roster.data?.length === 0
              ? 'Nobody is on the roster of this year.'
              : 'Nobody is on the roster from today on.'
          }
          toolbar={
            <Checkbox
              label="From today on"
              checked={from === 'today'}
              onChange={(event) => setFrom(event.currentTarget.checked ? 'today' : 'year')}
            />
          }
        />
      </div>
      {state?.source === 'portal' && <OwnShifts team={team} />}
    </>
  );
}

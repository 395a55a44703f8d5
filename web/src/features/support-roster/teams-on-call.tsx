import type { OnCall } from '@portal/contract/support-roster';
import { Link } from '@tanstack/react-router';
import { DataTable } from '../../ui/table/data-table.tsx';
import type { DataColumn } from '../../ui/table/data-table.types.ts';
import { ZoneTime } from '../../ui/zone-time.tsx';
import { PeopleNow, PersonNext } from './people-on-call.tsx';
import { RosterRemarks } from './roster-remarks.tsx';
import styles from './support-roster.module.css';
import { useOnCall } from './use-roster.ts';

/** The page of the team shows all. */
const maxRemarks = 2;

/**
 * Shows who is on call for each team at a moment, or now, and next, with their numbers; the
 * caller's own teams first.
 */
export function TeamsOnCall({ at, timeZone }: { at: Date | null; timeZone: string }) {
  const load = useOnCall(null, at);
  return (
    <div className={styles.section}>
      <h2>
        {at === null ? (
          'On call now'
        ) : (
          <>
            On call at <ZoneTime at={at.toISOString()} timeZone={timeZone} />
          </>
        )}
      </h2>
      <DataTable
        name={at === null ? 'On call now' : 'On call then'}
        rows={load.data}
        rowId={({ team }) => team}
        columns={at === null ? columns : columnsThen}
        rowTone={({ now }) => (now.length === 0 ? 'warning' : null)}
        loading={load.isFetching}
        error={load.error}
        onRetry={() => void load.refetch()}
        csvName="On call"
        emptyText="No support teams are configured."
      />
    </div>
  );
}

const columns: readonly DataColumn<OnCall>[] = [
  {
    id: 'team',
    header: 'Project',
    value: ({ team }) => team,
    cell: ({ team }) => (
      <Link className={styles.team} to="/support-roster/{-$team}" params={{ team }}>
        {team}
      </Link>
    ),
    width: '20%',
  },
  {
    id: 'now',
    header: 'Now',
    value: ({ now }) => now.map(({ name }) => name).join(', '),
    cell: (state) => (
      <div className={styles.people}>
        <PeopleNow state={state} />
        {state.problem !== null && <span className="note">{state.problem}</span>}
        <RosterRemarks state={state} max={maxRemarks} />
      </div>
    ),
    width: '40%',
  },
  {
    id: 'next',
    header: 'Next',
    value: ({ next }) => next?.name ?? null,
    cell: (state) => <PersonNext state={state} />,
    width: '40%',
  },
];

const columnsThen = columns.map((column) => (column.id === 'now' ? { ...column, header: 'On call' } : column));

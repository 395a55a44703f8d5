import { Button } from '@mantine/core';
import type { DataSource } from '@portal/contract/environments';
import { pingSuccessful } from '@portal/contract/schema-access';
import { IconRefresh } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useSession } from '../../../session/use-session.ts';
import { showProblem } from '../../../ui/popups.ts';
import { StatusChip } from '../../../ui/status-chip.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import styles from '../schema-access.module.css';
import { usePings } from '../use-schema-access.ts';

interface PingRow {
  readonly source: DataSource;
  /** The ping response of the data source, or why the ping failed; null while it is pending. */
  readonly status: string | null;
}

const fewRows = 10;

const columns: readonly DataColumn<PingRow>[] = [
  {
    id: 'source',
    header: 'Data Source',
    value: (row) => row.source.heliumDataSourceName,
    cell: ({ source }) => (
      <span className={styles.source}>
        {source.heliumDataSourceName}
        <span className="quiet">
          {source.dbName} on {source.hostname}
        </span>
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Ping Status',
    value: (row) => row.status,
    cell: (row) => <PingStatus status={row.status} />,
  },
];

/** Shows whether each data source responds. Each row updates on its own. */
export function PingTable() {
  const { session } = useSession();
  const { baseUrl, dataSources } = session.environment;
  const pings = usePings();
  const hasNone = dataSources.length === 0;
  const emptyText = `There were no database servers found on ${baseUrl}`;
  useEffect(() => {
    if (hasNone) showProblem('No database servers', new Error(emptyText));
  }, [hasNone, emptyText]);
  const firstProblem = pings.find(({ isError, isFetching }) => isError && !isFetching)?.error ?? null;
  useEffect(() => {
    if (firstProblem) showProblem('Unable to ping database', firstProblem);
  }, [firstProblem]);

  const rows = dataSources.map((source, at): PingRow => {
    const ping = pings[at];
    if (ping === undefined || ping.isFetching) return { source, status: null };
    if (ping.isError) return { source, status: `Problem retrieving Ping to Database. ${ping.error.message}` };
    return { source, status: ping.data?.response ?? null };
  });
  return (
    <div className={styles.section}>
      <h2>Data sources</h2>
      <DataTable
        name="Data sources"
        addressPrefix="ping"
        rows={rows}
        rowId={(row) => row.source.heliumDataSourceName}
        columns={columns}
        searchable={rows.length > fewRows}
        rowTone={({ status }) => (status === null || status === pingSuccessful ? null : 'warning')}
        emptyText={emptyText}
        emptyHint="An administrator can add them in the setting environments[].dataSources."
        toolbar={
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} stroke={1.6} aria-hidden />}
            disabled={hasNone}
            onClick={() => {
              for (const ping of pings) void ping.refetch();
            }}
          >
            Ping again
          </Button>
        }
      />
    </div>
  );
}

function PingStatus({ status }: { status: string | null }) {
  if (status === null) return <span className="quiet">Pinging …</span>;
  if (status === pingSuccessful) return <StatusChip tone="success" label={status} />;
  return (
    <span className={styles.source}>
      <StatusChip tone="warning" label="No response" />
      <span>{status}</span>
    </span>
  );
}

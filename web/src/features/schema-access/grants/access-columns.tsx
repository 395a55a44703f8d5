import type { AccessGrant } from '@portal/contract/schema-access';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import type { DataColumn } from '../../../ui/table/data-table.types.ts';
import { sumCounts } from '../plan/object-counts.ts';
import { GrantStateChip, stateLabels } from './grant-state-chip.tsx';

const schemaColumns: readonly DataColumn<AccessGrant>[] = [
  {
    id: 'schema',
    header: 'Schema',
    value: (grant) => grant.schemaName,
    cell: (grant) => <code>{grant.schemaName}</code>,
  },
  { id: 'app', header: 'App', value: (grant) => grant.appName },
];

const grantColumns: readonly DataColumn<AccessGrant>[] = [
  { id: 'team', header: 'Team', value: (grant) => grant.team },
  {
    id: 'state',
    header: 'State',
    value: (grant) => stateLabels[grant.state],
    cell: (grant) => <GrantStateChip state={grant.state} />,
  },
  {
    id: 'since',
    header: 'Since',
    value: (grant) => grant.grantedAt,
    cell: (grant) => <RelativeTime at={grant.grantedAt} />,
  },
  { id: 'by', header: 'Granted by', value: (grant) => grant.grantedBy },
  { id: 'why', header: 'Reason', value: (grant) => grant.reason },
  {
    id: 'until',
    header: 'Until',
    value: (grant) => grant.endedAt,
    cell: (grant) => <RelativeTime at={grant.endedAt} />,
  },
  { id: 'ended-by', header: 'Ended by', optional: true, value: (grant) => grant.endedBy },
  { id: 'end-reason', header: 'End reason', optional: true, value: (grant) => grant.endReason },
  { id: 'source', header: 'Data source', optional: true, value: (grant) => grant.dataSource },
  { id: 'owner', header: 'Previous owner', optional: true, value: (grant) => grant.previousOwner },
  { id: 'objects', header: 'Objects', optional: true, align: 'right', value: (grant) => sumCounts(grant.counts) },
];

/** The columns for grants of all schemas. */
export const accessColumns: readonly DataColumn<AccessGrant>[] = [...schemaColumns, ...grantColumns];

/** The columns for grants of one app. */
export const appAccessColumns = grantColumns;

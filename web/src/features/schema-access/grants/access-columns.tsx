import type { AccessGrant } from '@portal/contract/schema-access';
import type { DataColumn } from '../../../ui/data-table.types.ts';
import { When } from '../../../ui/when.tsx';
import { totalOf } from '../plan/object-counts.ts';
import { GrantStateChip, wordOf } from './grant-state-chip.tsx';

const ofSchema: readonly DataColumn<AccessGrant>[] = [
  {
    id: 'schema',
    header: 'Schema',
    value: (grant) => grant.schemaName,
    cell: (grant) => <code>{grant.schemaName}</code>,
  },
  { id: 'app', header: 'App', value: (grant) => grant.appName },
];

const ofGrant: readonly DataColumn<AccessGrant>[] = [
  { id: 'team', header: 'Team', value: (grant) => grant.team },
  {
    id: 'state',
    header: 'State',
    value: (grant) => wordOf[grant.state],
    cell: (grant) => <GrantStateChip state={grant.state} />,
  },
  { id: 'since', header: 'Since', value: (grant) => grant.grantedAt, cell: (grant) => <When at={grant.grantedAt} /> },
  { id: 'by', header: 'By', value: (grant) => grant.grantedBy },
  { id: 'why', header: 'Why', value: (grant) => grant.reason },
  { id: 'until', header: 'Until', value: (grant) => grant.endedAt, cell: (grant) => <When at={grant.endedAt} /> },
  { id: 'ended-by', header: 'Ended by', optional: true, value: (grant) => grant.endedBy },
  { id: 'end-reason', header: 'End reason', optional: true, value: (grant) => grant.endReason },
  { id: 'source', header: 'Data source', optional: true, value: (grant) => grant.dataSource },
  { id: 'owner', header: 'Owner before', optional: true, value: (grant) => grant.previousOwner },
  { id: 'objects', header: 'Objects', optional: true, align: 'right', value: (grant) => totalOf(grant.counts) },
];

/** Of all schemas. */
export const accessColumns: readonly DataColumn<AccessGrant>[] = [...ofSchema, ...ofGrant];

/** Of one app, which needs no naming. */
export const appAccessColumns = ofGrant;

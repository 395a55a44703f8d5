import type { AuditEntry } from '@portal/contract/audit';
import type { DataColumn } from '../../ui/data-table.types.ts';
import { When } from '../../ui/when.tsx';
import { OutcomeChip } from './outcome-chip.tsx';

/** The trail comes in its own order, newest first; a part of it sorted otherwise would mislead. */
const inOrder = { sortable: false } as const;

export const auditColumns: readonly DataColumn<AuditEntry>[] = [
  {
    id: 'at',
    header: 'When',
    ...inOrder,
    width: 110,
    value: (entry) => entry.at,
    cell: (entry) => <When at={entry.at} />,
  },
  { id: 'user', header: 'User', ...inOrder, value: (entry) => entry.username },
  {
    id: 'action',
    header: 'Action',
    ...inOrder,
    hideBelow: 900,
    value: (entry) => entry.action,
    cell: (entry) => <code>{entry.action}</code>,
  },
  { id: 'app', header: 'App', ...inOrder, value: (entry) => entry.resourceName ?? entry.resource },
  { id: 'description', header: 'Description', ...inOrder, value: (entry) => entry.description },
  {
    id: 'outcome',
    header: 'Outcome',
    ...inOrder,
    value: (entry) => entry.outcome,
    cell: (entry) => <OutcomeChip outcome={entry.outcome} />,
  },
  { id: 'reason', header: 'Reason', ...inOrder, optional: true, value: (entry) => entry.reason },
  { id: 'resource', header: 'App id', ...inOrder, optional: true, value: (entry) => entry.resource },
  { id: 'address', header: 'Address', ...inOrder, optional: true, value: (entry) => entry.address },
  { id: 'request', header: 'Request id', ...inOrder, optional: true, value: (entry) => entry.requestId },
];

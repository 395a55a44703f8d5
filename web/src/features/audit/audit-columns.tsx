import type { AuditEntry } from '@portal/contract/audit';
import { Link } from '@tanstack/react-router';
import { useApp } from '../../session/use-session.ts';
import { PlatformText } from '../../ui/platform-text.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import type { DataColumn } from '../../ui/table/data-table.types.ts';
import { describeResource } from './describe-resource.ts';
import { OutcomeChip } from './outcome-chip.tsx';

/** Not sortable: the trail is paged newest first, and sorting only one part would mislead. */
const unsortedColumns = { sortable: false } as const;

export const auditColumns: readonly DataColumn<AuditEntry>[] = [
  {
    id: 'at',
    header: 'When',
    ...unsortedColumns,
    width: 140,
    value: (entry) => entry.at,
    cell: (entry) => <RelativeTime at={entry.at} />,
  },
  { id: 'user', header: 'User', ...unsortedColumns, value: (entry) => entry.username },
  {
    id: 'action',
    header: 'Action',
    ...unsortedColumns,
    optionalBelow: 900,
    value: (entry) => entry.action,
    cell: (entry) => <code>{entry.action}</code>,
  },
  {
    id: 'app',
    header: 'Resource',
    ...unsortedColumns,
    value: describeResource,
    cell: (entry) => <Resource entry={entry} />,
  },
  { id: 'description', header: 'Description', ...unsortedColumns, value: (entry) => entry.description },
  {
    id: 'outcome',
    header: 'Outcome',
    ...unsortedColumns,
    value: (entry) => entry.outcome,
    cell: (entry) => <OutcomeChip outcome={entry.outcome} attempts={entry.attempts} />,
  },
  {
    id: 'last',
    header: 'Last attempt',
    ...unsortedColumns,
    optional: true,
    value: (entry) => entry.lastAt,
    cell: (entry) => <RelativeTime at={entry.lastAt} />,
  },
  { id: 'reason', header: 'Reason', ...unsortedColumns, optional: true, value: (entry) => entry.reason },
  { id: 'resource', header: 'Resource id', ...unsortedColumns, optional: true, value: (entry) => entry.resource },
  { id: 'address', header: 'Address', ...unsortedColumns, optional: true, value: (entry) => entry.address },
  { id: 'request', header: 'Request id', ...unsortedColumns, optional: true, value: (entry) => entry.requestId },
];

/** Links to an app that the user has access to. */
function Resource({ entry }: { entry: AuditEntry }) {
  const app = useApp(entry.resourceKind === 'app' ? (entry.resource ?? '') : '');
  if (app === null) return describeResource(entry);
  return (
    <Link className="text-link" to="/app/{-$appid}" params={{ appid: app.id }}>
      <PlatformText text={app.name} />
    </Link>
  );
}

import type { SignedInSession } from '@portal/contract/sessions';
import { RelativeTime } from '../../ui/relative-time.tsx';
import type { DataColumn } from '../../ui/table/data-table.types.ts';

/** Describes where a session was opened, and where it was last used if that is somewhere else. */
function describeMove(first: string, last: string): string {
  return first === last ? first : `${first}, last ${last}`;
}

/** The columns of one's own sessions. */
export const ownColumns: readonly DataColumn<SignedInSession>[] = [
  {
    id: 'browser',
    header: 'Browser',
    value: ({ browser, lastBrowser }) => describeMove(browser ?? 'Unknown', lastBrowser ?? 'Unknown'),
  },
  {
    id: 'address',
    header: 'Address',
    value: ({ address, lastAddress }) => describeMove(address ?? 'Unknown', lastAddress ?? 'Unknown'),
  },
  {
    id: 'created',
    header: 'Since',
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    id: 'seen',
    header: 'Last seen',
    value: ({ lastSeenAt }) => lastSeenAt,
    cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
  },
  { id: 'access', header: 'Access', value: ({ isReadOnly }) => (isReadOnly ? 'Read-only, kept signed in' : 'Full') },
];

/** The columns of the sessions of all users, for administrators. */
export const allColumns: readonly DataColumn<SignedInSession>[] = [
  { id: 'user', header: 'User', value: ({ username }) => username },
  ...ownColumns,
];

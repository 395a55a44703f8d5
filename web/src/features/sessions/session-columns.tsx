import type { SignedInSession } from '@portal/contract/sessions';
import type { DataColumn } from '../../ui/data-table.types.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';

/** The columns of one's own sessions. */
export const ownColumns: readonly DataColumn<SignedInSession>[] = [
  { id: 'browser', header: 'Browser', value: ({ browser }) => browser ?? 'Unknown' },
  { id: 'address', header: 'Address', value: ({ address }) => address },
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

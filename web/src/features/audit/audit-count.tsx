import { Button } from '@mantine/core';
import { countAudit } from '@portal/contract/audit';
import { useState } from 'react';
import { useCall } from '../../api/use-call.ts';
import { formatCount, formatPlural } from '../../format/numbers.ts';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { type AuditFilter, toAuditQuery } from './audit-filter.ts';

/** How many entries are shown, and on request of how many: counting reads all of them. */
export function AuditCount({ shown, filter: { entry: _, ...filter } }: { shown: number; filter: AuditFilter }) {
  const query = toAuditQuery(filter, null);
  const [counted, setCounted] = useState<string | null>(null);
  const isRequested = counted === JSON.stringify(query);
  const count = useCall(countAudit, query, { enabled: isRequested });
  useProblemPopup('Unable to count the entries', count);
  return (
    <>
      <span className="quiet">
        Showing the newest {formatCount(shown)}
        {count.data && ` of ${formatPlural(count.data.count, 'entry', 'entries')}`}.
      </span>
      {!count.data && (
        <Button
          variant="default"
          loading={count.isFetching}
          onClick={() => (isRequested ? void count.refetch() : setCounted(JSON.stringify(query)))}
        >
          Count
        </Button>
      )}
    </>
  );
}

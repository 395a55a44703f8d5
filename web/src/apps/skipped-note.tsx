import type { Endpoint } from '@portal/contract/endpoint';
import { useSkippedEntries } from '../api/skipped-entries.ts';
import { formatPlural } from '../format/numbers.ts';

/** Reports the entries of the platform that the portal could not read; nothing if it read all. */
export function SkippedNote({ endpoint, appId }: { endpoint: Endpoint; appId?: string }) {
  const skipped = useSkippedEntries(endpoint, appId);
  if (skipped === undefined) return null;
  return (
    <details className="note">
      <summary>{formatPlural(skipped.count, 'entry', 'entries')} of the platform could not be read</summary>
      <ul>
        {skipped.reasons.map((reason) => (
          <li key={reason} className="text">
            {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

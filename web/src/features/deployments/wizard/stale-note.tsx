import { Button } from '@mantine/core';
import type { Schedule } from '@portal/contract/deployments';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useSession } from '../../../session/use-session.ts';
import { PlatformLines } from '../../../ui/platform-text.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from '../deployments.module.css';
import { toDraftFields } from './draft.ts';
import { draftDifferences, draftFacts } from './draft-facts.ts';
import type { DraftState } from './use-draft.ts';
import wizardStyles from './wizard.module.css';

/**
 * Reports that another user saved the schedule while it is being updated here, and offers to
 * compare both versions and keep one.
 */
export function StaleNote(props: {
  theirs: Schedule;
  draftState: DraftState;
  appName: (id: string) => string;
  timeZone: string;
}) {
  const { theirs, draftState, appName, timeZone } = props;
  const { session } = useSession();
  const [isComparing, setIsComparing] = useState(false);
  const names = { product: session.product, appName };
  const theirFields = toDraftFields(theirs, timeZone);
  const differences = draftDifferences(draftFacts(draftState.draft.fields, names), draftFacts(theirFields, names));
  return (
    <section className={wizardStyles.stale} aria-label="Changed by another user">
      <p role="alert">
        <IconAlertTriangle size={16} stroke={1.6} aria-hidden />
        <span>
          <strong>{theirs.portalUser}</strong> saved this schedule <RelativeTime at={theirs.updatedAt} />, after you
          opened it. Your version is not saved yet.
        </span>
      </p>
      {isComparing && differences.length === 0 && <p>Both versions are the same.</p>}
      {isComparing && differences.length > 0 && (
        <table className={styles.differences} aria-label="Changed values">
          <thead>
            <tr>
              <th scope="col">Value</th>
              <th scope="col">Yours</th>
              <th scope="col">Theirs</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ field, mine, theirs: their }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>
                  <PlatformLines text={mine} />
                </td>
                <td>
                  <PlatformLines text={their} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="wrap">
        {!isComparing && (
          <Button size="compact-sm" variant="default" onClick={() => setIsComparing(true)}>
            Compare
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={() => draftState.replace(theirFields, theirs.revision)}>
          Use theirs
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => draftState.replace(draftState.draft.fields, theirs.revision)}
        >
          Keep mine
        </Button>
      </div>
    </section>
  );
}

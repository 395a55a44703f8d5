import { Button } from '@mantine/core';
import type { Schedule } from '@portal/contract/deployments';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useSession } from '../../../session/use-session.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from '../deployments.module.css';
import { fieldsOf } from './draft.ts';
import { draftDifferences, draftFacts } from './draft-facts.ts';
import type { DraftDesk } from './use-draft.ts';
import wizardStyles from './wizard.module.css';

/**
 * Somebody saved the schedule while it is being updated here: who, when, what they have, and whose
 * is gone on with.
 */
export function StaleNote(props: {
  theirs: Schedule;
  desk: DraftDesk;
  appName: (id: string) => string;
  timeZone: string;
}) {
  const { theirs, desk, appName, timeZone } = props;
  const { session } = useSession();
  const [isLooking, setIsLooking] = useState(false);
  const names = { product: session.product, appName };
  const theirFields = fieldsOf(theirs, timeZone);
  const differences = draftDifferences(draftFacts(desk.draft.fields, names), draftFacts(theirFields, names));
  return (
    <section className={wizardStyles.stale} aria-label="Changed by somebody else">
      <p role="alert">
        <IconAlertTriangle size={16} stroke={1.6} aria-hidden />
        <span>
          <strong>{theirs.portalUser}</strong> saved this schedule <RelativeTime at={theirs.updatedAt} />, after you
          opened it. Yours is not saved yet.
        </span>
      </p>
      {isLooking && differences.length === 0 && <p>They have what you have.</p>}
      {isLooking && differences.length > 0 && (
        <table className={styles.differences}>
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
                <td>{mine}</td>
                <td>{their}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="wrap">
        {!isLooking && (
          <Button size="compact-sm" variant="default" onClick={() => setIsLooking(true)}>
            Look at theirs
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={() => desk.replace(theirFields, theirs.revision)}>
          Go on with theirs
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => desk.replace(desk.draft.fields, theirs.revision)}>
          Keep mine
        </Button>
      </div>
    </section>
  );
}

import { isProduction } from '@portal/contract/environments';
import { getServerNow } from '../../../api/server-clock.ts';
import { describeZone, parseWallClock } from '../../../format/wall-clock.ts';
import { useSession } from '../../../session/use-session.ts';
import { PlatformLines } from '../../../ui/platform-text.tsx';
import styles from '../deployments.module.css';
import type { DraftFields } from './draft.ts';
import { draftFacts } from './draft-facts.ts';

/** The third step: a summary of everything that will be saved. */
export function ConfirmationStep(props: { fields: DraftFields; timeZone: string; appName: (id: string) => string }) {
  const { fields, timeZone, appName } = props;
  const { session } = useSession();
  const at = parseWallClock(fields.deploymentDate, timeZone);
  const { name } = session.environment;
  return (
    <>
      <p className={styles.quiet}>
        The following will be scheduled in <strong>{name}</strong>
        {isProduction(name) ? ' and visible to everyone' : ''}. Times are in{' '}
        {describeZone(timeZone, at ?? new Date(getServerNow()))}.
      </p>
      <dl className={styles.facts}>
        {draftFacts(fields, { product: session.product, appName }).map((fact) => (
          <div key={fact.name}>
            <dt>{fact.name}</dt>
            <dd>
              <PlatformLines text={fact.text} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

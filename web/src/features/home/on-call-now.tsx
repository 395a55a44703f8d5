import { getOnCall } from '@portal/contract/support-roster';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatPlural } from '../../lib/format.ts';
import { useCall } from '../../lib/use-call.ts';
import { useSession } from '../../session/use-session.ts';
import { OnCallList } from '../../shared/on-call-list.tsx';
import styles from './attention.module.css';
import { InlineProblem } from './inline-problem.tsx';
import { Section } from './section.tsx';
import { SectionLines } from './section-lines.tsx';

/** Further teams are shown on request. */
const maxTeams = 6;

/** Shows who is on call for each team. */
export function OnCallNow() {
  const [showsAll, setShowsAll] = useState(false);
  const { session } = useSession();
  const onCall = useCall(getOnCall, {}, { refetchOnWindowFocus: 'always', refetchInterval: 60_000 });
  return (
    <Section title="On call now" more={<Link to="/support-roster/{-$team}">Support roster</Link>}>
      {onCall.isError && <InlineProblem text="Who is on call could not be loaded." load={onCall} />}
      {onCall.isPending && <SectionLines />}
      {onCall.data?.length === 0 && <p className={styles.none}>No support teams are configured.</p>}
      {onCall.data && (
        <OnCallList
          teams={showsAll ? onCall.data : onCall.data.slice(0, maxTeams)}
          timeZone={session.environment.timeZone}
        />
      )}
      {onCall.data && onCall.data.length > maxTeams && (
        <button type="button" className="link-button" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show fewer' : formatPlural(onCall.data.length - maxTeams, 'more team')}
        </button>
      )}
    </Section>
  );
}

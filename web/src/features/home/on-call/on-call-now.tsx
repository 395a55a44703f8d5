import { getOnCall } from '@portal/contract/support-roster';
import { Link } from '@tanstack/react-router';
import { useCall } from '../../../api/use-call.ts';
import { useSession } from '../../../session/use-session.ts';

import styles from '../attention/attention.module.css';
import { FirstItems } from '../section/first-items.tsx';
import { InlineProblem } from '../section/inline-problem.tsx';
import { Section } from '../section/section.tsx';
import { SectionLines } from '../section/section-lines.tsx';
import { OnCallList } from './on-call-list.tsx';

const maxTeams = 6;

/** Shows who is on call for each team. */
export function OnCallNow() {
  const { session } = useSession();
  const onCall = useCall(getOnCall, {}, { refetchOnWindowFocus: 'always', refetchInterval: 60_000 });
  return (
    <Section title="On call now" more={<Link to="/support-roster/{-$team}">Support roster</Link>}>
      {onCall.isError && <InlineProblem text="Who is on call could not be loaded." load={onCall} />}
      {onCall.isPending && <SectionLines />}
      {onCall.data?.length === 0 && <p className={styles.none}>No support teams are configured.</p>}
      {onCall.data && (
        <FirstItems items={onCall.data} max={maxTeams} count={onCall.data.length} noun="team">
          {(teams) => <OnCallList teams={teams} timeZone={session.environment.timeZone} />}
        </FirstItems>
      )}
    </Section>
  );
}

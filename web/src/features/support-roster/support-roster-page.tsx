import { useNavigate, useParams } from '@tanstack/react-router';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { OnCallList } from '../../shared/on-call-list.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { ProjectSelect } from './project-select.tsx';
import styles from './support-roster.module.css';
import { TeamRoster } from './team-roster.tsx';
import { useOnCall, useRosterTeams } from './use-roster.ts';

export function SupportRosterPage() {
  const { team = null } = useParams({ strict: false });
  const navigate = useNavigate();
  const { session } = useSession();
  const refusal = useRefusal('roster.view');
  const teams = useRosterTeams(refusal === null);
  // A team can be shown even if the list of teams failed to load.
  const isKnown = team === null ? null : (teams.data?.includes(team) ?? (teams.isError || null));
  const choose = (chosen: string) => void navigate({ to: '/support-roster/{-$team}', params: { team: chosen } });
  return (
    <Page
      crumbs={
        team === null
          ? [{ label: 'Support Roster' }]
          : [{ label: 'Support Roster', to: '/support-roster' }, { label: team }]
      }
      title={team === null ? 'Support Roster' : team}
      tabTitle={team === null ? 'Support Roster' : `${team} · Support Roster`}
      lead={`On-call schedule by project. Times in ${session.environment.timeZone}.`}
    >
      {refusal !== null ? (
        <Empty text={refusal} />
      ) : (
        <>
          <ProjectSelect load={teams} team={team} onChange={choose} />
          {team === null && <Overview />}
          {isKnown === false && <Empty text={`There is no support team “${team}”.`} />}
          {team !== null && isKnown && <TeamRoster key={team} team={team} />}
        </>
      )}
    </Page>
  );
}

/** Without a chosen project: who is on call for each team, with links to the rosters. */
function Overview() {
  const { session } = useSession();
  const onCall = useOnCall(null);
  return (
    <>
      <Empty text="Select a Project to view team members" />
      {onCall.error && (
        <ProblemNote
          problem={onCall.error}
          hasStaleData={onCall.data !== undefined}
          onRetry={() => void onCall.refetch()}
        />
      )}
      {onCall.data && onCall.data.length > 0 && (
        <section className={styles.section} aria-labelledby="on-call-now">
          <h2 id="on-call-now">On call now</h2>
          <OnCallList teams={onCall.data} timeZone={session.environment.timeZone} />
        </section>
      )}
    </>
  );
}

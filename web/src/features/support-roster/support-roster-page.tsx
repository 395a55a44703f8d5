import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { Deferred } from '../../ui/deferred.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { ProjectSelect } from './project-select.tsx';
import styles from './support-roster.module.css';
import { TeamRoster } from './team-roster.tsx';
import { TeamsOnCall } from './teams-on-call.tsx';
import { useMoment } from './use-moment.ts';
import { useRosterTeams } from './use-roster.ts';

/** In a separate chunk with its time zone library. */
const MomentField = lazy(() => import('./moment-field.tsx').then((file) => ({ default: file.MomentField })));

export function SupportRosterPage() {
  const { team = null } = useParams({ strict: false });
  const navigate = useNavigate();
  const { session } = useSession();
  const refusal = useRefusal('roster.view');
  const teams = useRosterTeams(refusal === null);
  // A team can be shown even if the list of teams failed to load.
  const isKnown = team === null ? null : (teams.data?.includes(team) ?? (teams.isError || null));
  const [at, setAt] = useMoment();
  const { timeZone } = session.environment;
  const choose = (chosen: string) =>
    void navigate({
      to: '/support-roster/{-$team}',
      params: { team: chosen },
      search: at === null ? {} : { at: at.toISOString() },
    });
  return (
    <Page
      crumbs={
        team === null
          ? [{ label: 'Support Roster' }]
          : [{ label: 'Support Roster', to: '/support-roster' }, { label: team }]
      }
      title={team === null ? 'Support Roster' : team}
      tabTitle={team === null ? 'Support Roster' : `${team} · Support Roster`}
      lead={`On-call schedule by project. Times in ${timeZone}.`}
    >
      {refusal !== null ? (
        <Empty text={refusal} />
      ) : (
        <>
          <div className={styles.choices}>
            <ProjectSelect load={teams} team={team} onChange={choose} />
            <Suspense>
              <MomentField at={at} timeZone={timeZone} onChange={setAt} />
            </Suspense>
          </div>
          {team === null && teams.data?.length !== 0 && (
            <>
              <Empty text="Select a Project to view team members" />
              <Deferred>
                <TeamsOnCall at={at} timeZone={timeZone} />
              </Deferred>
            </>
          )}
          {isKnown === false && <Empty text={`There is no support team “${team}”.`} />}
          {team !== null && isKnown && <TeamRoster key={team} team={team} at={at} />}
        </>
      )}
    </Page>
  );
}

import { useNavigate, useParams } from '@tanstack/react-router';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { Deferred } from '../../ui/deferred.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { ProjectSelect } from './project-select.tsx';
import { TeamRoster } from './team-roster.tsx';
import { TeamsOnCall } from './teams-on-call.tsx';
import { useRosterTeams } from './use-roster.ts';

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
          {team === null && (
            <>
              <Empty text="Select a Project to view team members" />
              <Deferred>
                <TeamsOnCall />
              </Deferred>
            </>
          )}
          {isKnown === false && <Empty text={`There is no support team “${team}”.`} />}
          {team !== null && isKnown && <TeamRoster key={team} team={team} />}
        </>
      )}
    </Page>
  );
}

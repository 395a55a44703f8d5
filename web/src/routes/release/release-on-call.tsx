import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Release } from '../../features/deployments/release/use-release.ts';
import { PeopleNow } from '../../features/support-roster/people-on-call.tsx';
import { useOnCall } from '../../features/support-roster/use-roster.ts';
import { useRefusal } from '../../session/use-session.ts';
import { PlatformText } from '../../ui/platform-text.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import styles from './release-apps.module.css';

/** Who is on call for the team of a release when it is deployed. */
export function ReleaseOnCall({ release: { schedule, supportTeam, similarTeams } }: { release: Release }) {
  const refusal = useRefusal('roster.view');
  if (refusal !== null) return <p className="note">{refusal}</p>;
  if (supportTeam !== null) return <TeamOnCall team={supportTeam} at={schedule.deploymentDate} />;
  if (similarTeams.length === 0)
    return <p className="note">No support team belongs to {schedule.team} in the configuration.</p>;
  return (
    <>
      {similarTeams.map((team) => (
        <TeamOnCall key={team} team={team} at={schedule.deploymentDate} />
      ))}
      <p className="note">
        No support team belongs to <PlatformText text={schedule.team} /> in the configuration.{' '}
        {similarTeams.length === 1 ? 'This one has a similar name' : 'These have similar names'}; an administrator can
        add <PlatformText text={schedule.team} /> to its <code>deploymentTeams</code>.
      </p>
    </>
  );
}

function TeamOnCall({ team, at }: { team: string; at: string }) {
  const load = useOnCall(team, new Date(at));
  const [state] = load.data ?? [];
  return (
    <div className={styles.onCall}>
      <Link to="/support-roster/{-$team}" params={{ team }} className="text-link">
        <PlatformText text={team} />
      </Link>
      {load.isError && <ProblemNote problem={load.error} onRetry={() => void load.refetch()} />}
      {load.isPending && <Skeleton height={48} />}
      {state && <PeopleNow state={state} />}
    </div>
  );
}

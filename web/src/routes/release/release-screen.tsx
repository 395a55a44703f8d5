import { Skeleton } from '@mantine/core';
import { canReachDeployments } from '@portal/contract/environments';
import { useParams } from '@tanstack/react-router';
import { ReleasePlaceholder, ReleaseView } from '../../features/deployments/release/release-view.tsx';
import { type Release, useRelease } from '../../features/deployments/release/use-release.ts';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { Empty } from '../../ui/empty.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { ReleaseApps } from './release-apps.tsx';
import { ReleaseOnCall } from './release-on-call.tsx';
import { describeLeftovers, useReleaseApps } from './use-release-apps.ts';

/**
 * The page of one release, which combines the deployment with the state of its apps, their sync and
 * the support roster, so that these features stay independent.
 */
export function ReleaseScreen() {
  const { schedule: id = '' } = useParams({ strict: false });
  const { name } = useSession().session.environment;
  const viewRefusal = useRefusal('deployments.view');
  const refusal = canReachDeployments(name)
    ? viewRefusal
    : `Deployments are scheduled in Production. You are signed into ${name}.`;
  const load = useRelease(id, refusal === null);
  if (load.data) return <LoadedRelease key={id} release={load.data} />;
  return (
    <ReleasePlaceholder>
      {refusal !== null && <Empty text={refusal} />}
      {refusal === null && load.isError && <ProblemNote problem={load.error} onRetry={() => void load.refetch()} />}
      {refusal === null && load.isPending && <Skeleton height={240} />}
    </ReleasePlaceholder>
  );
}

function LoadedRelease({ release }: { release: Release }) {
  const { schedule } = release;
  const apps = useReleaseApps(schedule);
  return (
    <ReleaseView
      release={release}
      remarks={describeLeftovers(apps.rows)}
      apps={<ReleaseApps apps={apps} isOver={schedule.scheduleStatus === 'RESOLVED'} />}
      onCall={<ReleaseOnCall release={release} />}
    />
  );
}

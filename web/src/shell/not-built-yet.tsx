import { mayReachDeployments } from '@portal/contract/environments';
import { Link } from '@tanstack/react-router';
import { useSession } from '../session/use-session.ts';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

/** Holds the place of a screen that has a route and is not built yet. */
export function NotBuiltYet({ title, crumbs }: { title: string; crumbs?: readonly { label: string; to?: string }[] }) {
  return (
    <Page crumbs={crumbs ?? [{ label: title }]} title={title}>
      <Empty text="This screen is not built yet." hint={<Link to="/apps">Go to the apps list</Link>} />
    </Page>
  );
}

/** The address may be typed in any environment; the screen is there in two. */
export function DeploymentsPlace() {
  const { session } = useSession();
  const title = 'Scheduled Deployments';
  if (mayReachDeployments(session.environment.name)) return <NotBuiltYet title={title} />;
  return (
    <Page crumbs={[{ label: title }]} title={title}>
      <Empty
        text={`Deployments are scheduled in Production. You are signed into ${session.environment.name}.`}
        hint={<Link to="/">Go home</Link>}
      />
    </Page>
  );
}

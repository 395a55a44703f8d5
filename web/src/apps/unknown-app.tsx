import { Link } from '@tanstack/react-router';
import { useSession } from '../session/use-session.ts';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

/** Replaces an app's screen when the user has no access to an app with that id. */
export function UnknownApp({ appId, crumb }: { appId: string; crumb: string }) {
  const { session, appsProblem } = useSession();
  if (appsProblem !== null) {
    return (
      <Page crumbs={[{ label: 'Apps', to: '/apps' }, { label: crumb }]} title="App not loaded">
        <Empty
          text={`The app with the id ${appId} is not among the last known apps: ${appsProblem.message}`}
          hint={<Link to="/apps">Back to the apps list</Link>}
        />
      </Page>
    );
  }
  return (
    <Page crumbs={[{ label: 'Apps', to: '/apps' }, { label: crumb }]} title="App not found">
      <Empty
        text={`You have no access to an app with the id ${appId} in ${session.environment.name}.`}
        hint={
          <>
            It may be in another environment or deleted. <Link to="/apps">Back to the apps list</Link>
          </>
        }
      />
    </Page>
  );
}

import { Link } from '@tanstack/react-router';
import { useSession } from '../session/use-session.ts';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

/** In place of an app's screen when this user does not see an app with that id here. */
export function UnknownApp({ appId, crumb }: { appId: string; crumb: string }) {
  const { session } = useSession();
  return (
    <Page crumbs={[{ label: 'Apps', to: '/apps' }, { label: crumb }]} title="App not found">
      <Empty
        text={`No app with the id ${appId} is shown to ${session.username} in ${session.environment.name}.`}
        hint={
          <>
            It may live in another environment, or be gone. <Link to="/apps">Back to the apps list</Link>
          </>
        }
      />
    </Page>
  );
}

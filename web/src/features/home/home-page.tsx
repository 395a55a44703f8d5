import { canReachDeployments } from '@portal/contract/environments';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { Page } from '../../ui/page.tsx';
import { AppLists } from './app-lists.tsx';
import { NeedsAttention } from './attention/needs-attention.tsx';
import { useAttention } from './attention/use-attention.ts';
import styles from './home-page.module.css';
import { OnCallNow } from './on-call/on-call-now.tsx';
import { RecentChanges } from './recent-changes.tsx';
import { Tiles } from './tiles.tsx';
import { TodaysDeployments } from './todays-deployments.tsx';

/** The home page: what needs attention, what happens today, and what is the user's own. */
export function HomePage() {
  const { session } = useSession();
  const attention = useAttention();
  const canViewRoster = useRefusal('roster.view') === null;
  const canViewDeployments = useRefusal('deployments.view') === null && canReachDeployments(session.environment.name);
  return (
    <Page
      crumbs={[]}
      title={`Hello ${session.username}`}
      lead={`What needs your attention in ${session.environment.name}, and your apps.`}
      tabTitle="Home"
    >
      <Tiles />
      <NeedsAttention load={attention} />
      <div className={styles.columns}>
        {(canViewRoster || canViewDeployments) && (
          <div className={styles.column}>
            {canViewRoster && <OnCallNow />}
            {canViewDeployments && <TodaysDeployments load={attention} />}
          </div>
        )}
        <div className={styles.column}>
          <AppLists />
          <RecentChanges />
        </div>
      </div>
    </Page>
  );
}

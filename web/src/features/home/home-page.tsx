import { useSession } from '../../session/use-session.ts';
import { Page } from '../../ui/page.tsx';
import { AppLists } from './app-lists.tsx';
import styles from './home-page.module.css';
import { RecentChanges } from './recent-changes.tsx';
import { Tiles } from './tiles.tsx';

/** Answers "what needs me?" */
export function HomePage() {
  const { session } = useSession();
  return (
    <Page
      crumbs={[]}
      title={`Hello ${session.username}`}
      lead={`What changed lately in ${session.environment.name}, and the apps you use.`}
      tabTitle="Home"
    >
      <Tiles />
      <div className={styles.columns}>
        <RecentChanges />
        <AppLists />
      </div>
    </Page>
  );
}

import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

/** Holds the place of a screen that has a route and is not built yet. */
export function NotBuiltYet({ title }: { title: string }) {
  return (
    <Page crumbs={[{ label: title }]} title={title}>
      <Empty text="This screen is not built yet." hint={<Link to="/apps">Go to the apps list</Link>} />
    </Page>
  );
}

import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

export function NotFoundPage() {
  return (
    <Page crumbs={[{ label: 'Page not found' }]} title="Page not found">
      <Empty text="This page does not exist." hint={<Link to="/apps">Go to the apps list</Link>} />
    </Page>
  );
}

import { Navigate, useParams } from '@tanstack/react-router';
import { useApp } from '../../session/use-session.ts';
import { NotBuiltYet } from '../../shell/not-built-yet.tsx';

/** The view of one app; without a matching app, back to the apps list. */
export function AppViewPage() {
  const { appid = '' } = useParams({ strict: false });
  const app = useApp(appid);
  if (!app) return <Navigate to="/apps" replace />;
  return <NotBuiltYet title={app.name} crumbs={[{ label: 'Apps', to: '/apps' }, { label: 'View' }]} />;
}

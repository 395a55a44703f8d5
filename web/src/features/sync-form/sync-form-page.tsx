import type { App } from '@portal/contract/apps';
import { useParams } from '@tanstack/react-router';
import { UnknownApp } from '../../apps/unknown-app.tsx';
import { useApp, useRefusal, useSession } from '../../session/use-session.ts';
import { SyncStatusChip } from '../../sync/status.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { EditIntegration } from './edit-integration.tsx';
import { NewIntegration } from './new-integration.tsx';
import { isNotFound, useIntegration } from './use-sync-calls.ts';

const crumbs = [{ label: 'Sync', to: '/sync' }, { label: 'Merge' }];

/** Creates an integration, or edits the one of the app in the address. */
export function SyncFormPage() {
  const { appid = '' } = useParams({ strict: false });
  const { session } = useSession();
  const app = useApp(appid);
  const refusal = useRefusal('sync.view');
  if (refusal !== null)
    return (
      <Page crumbs={crumbs} title="Sync integration">
        <Empty text={refusal} />
      </Page>
    );
  if (appid === '')
    return (
      <Page
        crumbs={crumbs}
        title="New sync integration"
        lead={`Syncs the database of an app in ${session.environment.name} with that of its Journey deployment.`}
      >
        <NewIntegration />
      </Page>
    );
  if (app === null) return <UnknownApp appId={appid} crumb="Sync integration" />;
  return <AppSyncPage key={app.id} app={app} />;
}

function AppSyncPage({ app }: { app: App }) {
  const load = useIntegration(app.id);
  const integration = load.data;
  return (
    <Page
      crumbs={crumbs}
      title={app.name}
      tabTitle={`Sync of ${app.name}`}
      lead={
        integration
          ? `The sync integration of this app in ${integration.dataSource}.`
          : 'The sync integration of this app.'
      }
      chips={
        <>
          <Copyable value={app.id} label="Copy the app id" />
          {integration && !isNotFound(load) && <SyncStatusChip status={integration.status} />}
        </>
      }
    >
      <EditIntegration app={app} load={load} />
    </Page>
  );
}

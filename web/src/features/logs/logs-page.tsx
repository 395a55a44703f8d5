import { Checkbox } from '@mantine/core';
import type { App } from '@portal/contract/apps';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { LogActions } from '../../logs/log-actions.tsx';
import { LogPanel } from '../../logs/log-panel.tsx';
import { StateChip } from '../../logs/log-status.tsx';
import { LogToolbar } from '../../logs/log-toolbar.tsx';
import { useLogStream } from '../../logs/use-log-stream.ts';
import { useApp, useRefusal, useSession } from '../../session/use-session.ts';
import { AppPage } from '../../shared/app-page.tsx';
import { UnknownApp } from '../../shared/unknown-app.tsx';
import { Empty } from '../../ui/empty.tsx';
import { appLogWire } from './app-log-wire.ts';
import { LogKeyHints } from './log-key-hints.tsx';
import { useLogChoices } from './logs-address.ts';
import { useLogKeys } from './use-log-keys.ts';
import { useStartsOnOpen } from './use-starts-on-open.ts';

export function LogsPage() {
  const { appid = '' } = useParams({ strict: false });
  const app = useApp(appid);
  const refusal = useRefusal('logs.view');
  if (app === null) return <UnknownApp appId={appid} crumb="Log" />;
  return refusal === null ? <AppLog key={app.id} app={app} /> : <RefusedLog app={app} refusal={refusal} />;
}

const getCrumbs = (app: App) => [{ label: 'Apps', to: '/apps' }, { label: `Log for ${app.name} (${app.id})` }];

function RefusedLog({ app, refusal }: { app: App; refusal: string }) {
  return (
    <AppPage app={app} tab="Logs" crumbs={getCrumbs(app)}>
      <Empty text={refusal} />
    </AppPage>
  );
}

function AppLog({ app }: { app: App }) {
  const [choices, change] = useLogChoices();
  const [startsOnOpen, setStartsOnOpen] = useStartsOnOpen();
  const { baseUrl } = useSession().session.environment;
  const wire = useMemo(() => appLogWire(app.id, baseUrl), [app.id, baseUrl]);
  const { stream, snapshot, setParent } = useLogStream(wire, startsOnOpen);
  useLogKeys(
    useMemo(
      () => ({
        pauseOrFollow: () => (stream?.snapshot.get().isFollowing ? stream.view.pause() : stream?.view.follow()),
        follow: () => stream?.view.follow(),
        scrollToStart: () => stream?.view.scrollToStart(),
        next: () => stream?.view.jump('next'),
        previous: () => stream?.view.jump('previous'),
        wrap: () => change({ wrap: !choices.wrap }),
        clear: () => stream?.view.clear(),
      }),
      [stream, change, choices.wrap],
    ),
  );

  return (
    <AppPage
      app={app}
      tab="Logs"
      crumbs={getCrumbs(app)}
      lead={<StateChip snapshot={snapshot} />}
      actions={<LogActions stream={stream} snapshot={snapshot} />}
    >
      <LogToolbar stream={stream} snapshot={snapshot} name={app.name} choices={choices} onChange={change}>
        <Checkbox
          label="Start automatically"
          checked={startsOnOpen}
          onChange={(event) => setStartsOnOpen(event.currentTarget.checked)}
        />
      </LogToolbar>
      <LogPanel stream={stream} snapshot={snapshot} setParent={setParent} choices={choices} onChange={change} />
      <LogKeyHints />
    </AppPage>
  );
}

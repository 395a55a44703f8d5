import type { App } from '@portal/contract/apps';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { AppPage } from '../../apps/app-page.tsx';
import { UnknownApp } from '../../apps/unknown-app.tsx';
import { LogActions } from '../../logs/view/log-actions.tsx';
import type { LogChoices } from '../../logs/view/log-choices.ts';
import { LogPanel } from '../../logs/view/log-panel.tsx';
import type { LogSession, LogSnapshot } from '../../logs/view/log-session.ts';
import { LogStatus, StateChip } from '../../logs/view/log-status.tsx';
import { LogToolbar } from '../../logs/view/log-toolbar.tsx';
import { useIsNarrow } from '../../logs/view/use-is-narrow.ts';
import { useLogSession } from '../../logs/view/use-log-session.ts';
import { KeepSignedIn } from '../../session/keep-signed-in.tsx';
import { useApp, useRefusal, useSession } from '../../session/use-session.ts';
import { CheckBox } from '../../ui/check-box.tsx';
import { Empty } from '../../ui/empty.tsx';
import { appLogWire } from './app-log-wire.ts';
import { LogKeyHints } from './log-key-hints.tsx';
import { useLogChoices } from './logs-address.ts';
import styles from './logs-page.module.css';
import { RunNote } from './run-note.tsx';
import { type LogKeys, useLogKeys } from './use-log-keys.ts';
import { useStartsOnOpen } from './use-starts-on-open.ts';

export function LogsPage() {
  const { appid = '' } = useParams({ strict: false });
  const app = useApp(appid);
  const refusal = useRefusal('logs.view');
  if (app === null) return <UnknownApp appId={appid} crumb="Log" />;
  return refusal === null ? <OpenLog key={app.id} app={app} /> : <RefusedLog app={app} refusal={refusal} />;
}

/**
 * Creates the actions of the keys. Each one announces what it did, as nothing else might show it.
 */
function createLogKeys(
  stream: LogSession | null,
  isWrapped: boolean,
  change: (change: Partial<LogChoices>) => void,
): LogKeys {
  const announce = (action: string) => stream?.action.set(action);
  const jump = (direction: 'next' | 'previous') => {
    stream?.view.jump(direction);
    announce(describeMatch(stream?.snapshot.get() ?? null));
  };
  const follow = () => {
    stream?.view.follow();
    announce('Last line. New lines are followed.');
  };
  return {
    follow,
    pauseOrFollow() {
      if (!stream?.snapshot.get().isFollowing) return follow();
      stream.view.pause();
      announce('Paused.');
    },
    scrollToStart() {
      stream?.view.scrollToStart();
      announce('First line. Paused.');
    },
    next: () => jump('next'),
    previous: () => jump('previous'),
    wrap() {
      change({ wrap: !isWrapped });
      announce(isWrapped ? 'Lines are not wrapped.' : 'Lines are wrapped.');
    },
    clear() {
      stream?.view.clear();
      announce('Log cleared. Undo clear shows the lines again.');
    },
  };
}

function describeMatch(snapshot: LogSnapshot | null): string {
  if (snapshot === null || snapshot.matches === 0) return 'No matches.';
  return `Match ${snapshot.matchRank ?? 0} of ${snapshot.matches}.`;
}

const getCrumbs = (app: App) => [{ label: 'Apps', to: '/apps' }, { label: `Log for ${app.name} (${app.id})` }];

function RefusedLog({ app, refusal }: { app: App; refusal: string }) {
  return (
    <AppPage app={app} tab="Logs" crumbs={getCrumbs(app)}>
      <Empty text={refusal} />
    </AppPage>
  );
}

function OpenLog({ app }: { app: App }) {
  const [choices, change] = useLogChoices();
  const isNarrow = useIsNarrow();
  const [startsOnOpen, setStartsOnOpen] = useStartsOnOpen();
  const { baseUrl } = useSession().session.environment;
  const { id, schemaName } = app;
  // A list of apps that was read again must not open the log again.
  const wire = useMemo(() => appLogWire({ id, schemaName }, baseUrl), [id, schemaName, baseUrl]);
  const { stream, snapshot, setParent } = useLogSession(wire, startsOnOpen);
  useLogKeys(useMemo(() => createLogKeys(stream, choices.wrap, change), [stream, change, choices.wrap]));

  const actions = <LogActions stream={stream} snapshot={snapshot} />;
  return (
    <AppPage
      app={app}
      tab="Logs"
      crumbs={getCrumbs(app)}
      lead={
        !isNarrow && (
          <span className={styles.state} data-wide>
            <StateChip snapshot={snapshot} />
            {snapshot && <LogStatus snapshot={snapshot} />}
          </span>
        )
      }
      actions={
        !isNarrow && (
          <>
            <KeepSignedIn />
            {actions}
          </>
        )
      }
    >
      <div className={styles.log}>
        <RunNote app={app} stream={stream} timestamps={choices.timestamps} />
        <LogToolbar
          stream={stream}
          snapshot={snapshot}
          name={app.name}
          choices={choices}
          onChange={change}
          narrowActions={actions}
        >
          <CheckBox label="Start automatically" checked={startsOnOpen} onChange={setStartsOnOpen} />
        </LogToolbar>
        <LogPanel
          stream={stream}
          snapshot={snapshot}
          setParent={setParent}
          choices={choices}
          onChange={change}
          showsState={isNarrow}
        />
        <LogKeyHints />
        {/* The menu of narrow windows would be above its dialog. */}
        {isNarrow && <KeepSignedIn />}
      </div>
    </AppPage>
  );
}

import type { App } from '@portal/contract/apps';
import { IconArrowDown } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { useApp, useRefusal } from '../../session/use-session.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { UnknownApp } from '../../ui/unknown-app.tsx';
import { EmptyLog } from './empty-log.tsx';
import { LogActions } from './log-actions.tsx';
import { countOf } from './log-format.ts';
import { LogKeyHints } from './log-key-hints.tsx';
import { LogAnnouncer, LogStatus, StateChip } from './log-status.tsx';
import type { LogStream, StreamSnapshot } from './log-stream.ts';
import { LogToolbar } from './log-toolbar.tsx';
import viewStyles from './log-view.module.css';
import { type LogChoices, queryOf, useLogChoices } from './logs-address.ts';
import styles from './logs-page.module.css';
import { ReconnectBanner } from './reconnect-banner.tsx';
import { useLogKeys } from './use-log-keys.ts';
import { useLogStream, useStartsOnOpen } from './use-log-stream.ts';

export function LogsPage() {
  const { appid = '' } = useParams({ strict: false });
  const app = useApp(appid);
  const refusal = useRefusal('logs.view');
  if (app === null) return <UnknownApp appId={appid} crumb="Log" />;
  return refusal === null ? <LogOfApp key={app.id} app={app} /> : <RefusedLog app={app} refusal={refusal} />;
}

const crumbsOf = (app: App) => [{ label: 'Apps', to: '/apps' }, { label: `Log for ${app.name} (${app.id})` }];

function RefusedLog({ app, refusal }: { app: App; refusal: string }) {
  return (
    <Page crumbs={crumbsOf(app)} title={app.name}>
      <Empty text={refusal} />
    </Page>
  );
}

function LogOfApp({ app }: { app: App }) {
  const [choices, change] = useLogChoices();
  const [startsOnOpen, setStartsOnOpen] = useStartsOnOpen();
  const { stream, setParent } = useLogStream(app.id, startsOnOpen);
  const snapshot = useSnapshot(stream);
  useLook(stream, choices);
  useLogKeys(
    useMemo(
      () => ({
        pauseOrFollow: () => (stream?.snapshot.get().isFollowing ? stream.view.pause() : stream?.view.follow()),
        follow: () => stream?.view.follow(),
        toStart: () => stream?.view.toStart(),
        next: () => stream?.view.jump('next'),
        previous: () => stream?.view.jump('previous'),
        wrap: () => change({ wrap: !choices.wrap }),
        clear: () => stream?.view.clear(),
      }),
      [stream, change, choices.wrap],
    ),
  );

  return (
    <Page
      crumbs={crumbsOf(app)}
      title={app.name}
      chips={
        <>
          <StateChip snapshot={snapshot} />
          <Copyable value={app.id} label="Copy the app id" />
        </>
      }
      lead="The app's log as it happens."
      actions={<LogActions stream={stream} snapshot={snapshot} />}
    >
      <LogToolbar
        stream={stream}
        snapshot={snapshot}
        appName={app.name}
        choices={choices}
        onChange={change}
        startsOnOpen={startsOnOpen}
        onStartsOnOpen={setStartsOnOpen}
      />
      <div className={styles.frame}>
        <div ref={setParent} className={viewStyles.editor} data-timestamps={choices.timestamps} />
        {snapshot && <EmptyLog snapshot={snapshot} onShowAll={() => change({ levels: null, mode: 'highlight' })} />}
        {snapshot && <ReconnectBanner snapshot={snapshot} onTryNow={() => stream?.play()} />}
        {snapshot && !snapshot.isFollowing && snapshot.phase !== 'closed' && (
          <button
            type="button"
            className={styles.resume}
            title="Follow the log (End, Space)"
            onClick={() => stream?.view.follow()}
          >
            <IconArrowDown size={15} stroke={1.7} aria-hidden />
            {snapshot.newRecords > 0 ? `${countOf(snapshot.newRecords, 'new record')}, follow` : 'Follow'}
          </button>
        )}
      </div>
      {snapshot && <LogStatus snapshot={snapshot} />}
      <LogKeyHints />
      {snapshot && <LogAnnouncer snapshot={snapshot} />}
    </Page>
  );
}

function useSnapshot(stream: LogStream | null): StreamSnapshot | null {
  return useSyncExternalStore(
    useCallback((listener) => stream?.snapshot.subscribe(listener) ?? (() => {}), [stream]),
    () => stream?.snapshot.get() ?? null,
  );
}

/** Hands what is chosen on to the stream. */
function useLook(stream: LogStream | null, choices: LogChoices): void {
  const { levels, find, isRegExp, matchCase, mode, wrap, timestamps } = choices;
  useEffect(() => stream?.view.wrap(wrap), [stream, wrap]);
  useEffect(() => stream?.view.showTimestamps(timestamps), [stream, timestamps]);
  const query = useMemo(
    () => queryOf({ levels, find, isRegExp, matchCase, mode, wrap: false, timestamps: 'local' }),
    [levels, find, isRegExp, matchCase, mode],
  );
  useEffect(() => stream?.view.search(query), [stream, query]);
}

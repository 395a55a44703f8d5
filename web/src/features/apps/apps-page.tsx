// cspell:ignore visualise (the specification's text)
import { getApps } from '@portal/contract/apps';
import { IconAdjustmentsHorizontal, IconChartDonut, IconFileText } from '@tabler/icons-react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { SkippedNote } from '../../apps/skipped-note.tsx';
import { StarButton } from '../../apps/star-button.tsx';
import { formatCount, formatPlural } from '../../format/numbers.ts';
import { useMyApps } from '../../session/my-apps.ts';
import { useApp, useRefusal, useSession } from '../../session/use-session.ts';
import { useAddressValue } from '../../state/use-address.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { CountFilter } from '../../ui/count-filter.tsx';
import { Empty } from '../../ui/empty.tsx';
import { InfoCards } from '../../ui/info-cards.tsx';
import { Page } from '../../ui/page.tsx';
import { PlatformText } from '../../ui/platform-text.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import type { DataColumn } from '../../ui/table/data-table.types.ts';
import { AppActions } from './app-actions.tsx';
import styles from './apps-page.module.css';
import { ReloadApps } from './reload-apps.tsx';
import { countStates, getStateLabels, StateChips } from './state-chips.tsx';
import { type AppRow, useAppStates } from './use-app-states.ts';

/** The id column is hidden at this width or less, and on mobile devices. */
const narrowWidthPx = 750;
const isMobile = /Mobi|Android|iPhone|iPad/i.test(navigator.userAgent);

const cards = [
  { Icon: IconChartDonut, name: 'View', text: 'Visualise db performance and scheduled function results.' },
  { Icon: IconAdjustmentsHorizontal, name: 'Config', text: 'Set timeout values for scheduled functions and views.' },
  { Icon: IconFileText, name: 'Logs', text: 'Stream app logs to the browser.' },
];

export function AppsPage() {
  const { session, apps, appsProblem } = useSession();
  const { appid = '' } = useParams({ strict: false });
  const singleApp = useApp(appid);
  const refusal = useRefusal('apps.view');
  const navigate = useNavigate();
  const { starred, toggleStar } = useMyApps();
  const columns = useMemo(() => createColumns(new Set(starred), toggleStar), [starred, toggleStar]);
  const { rows: all, pending, problems } = useAppStates();
  const counts = useMemo(() => countStates(all), [all]);
  const [state, setState] = useAddressValue('state', '', isText);
  const rows = useMemo(
    () =>
      all.filter(
        (row) =>
          (singleApp === null || row.id === singleApp.id) &&
          (state === '' || getStateLabels(row.states).includes(state)),
      ),
    [all, singleApp, state],
  );
  const openApp = useCallback(
    (app: AppRow) => void navigate({ to: '/app/{-$appid}', params: { appid: app.id } }),
    [navigate],
  );
  const host = new URL(session.environment.baseUrl).host;
  return (
    <Page
      crumbs={singleApp ? [{ label: 'Apps', to: '/apps' }, { label: singleApp.name }] : [{ label: 'Apps' }]}
      title={session.product}
      lead={
        appsProblem && apps.length === 0
          ? `No list from ${host}/helium/api/v2/app`
          : `${formatCount(apps.length)} apps found from ${host}/helium/api/v2/app`
      }
      actions={<ReloadApps />}
    >
      {refusal !== null ? (
        <Empty text={refusal} />
      ) : (
        <>
          {appid !== '' && !singleApp && appsProblem === null && (
            <p role="status">
              You have no access to an app with the id {appid} in {session.environment.name}, so all apps are listed.
            </p>
          )}
          {singleApp && (
            <p>
              Showing only {singleApp.name}. <Link to="/apps">Show all apps</Link>
            </p>
          )}
          <SkippedNote endpoint={getApps} />
          <DataTable
            name="Apps"
            rows={rows}
            rowId={getId}
            columns={columns}
            defaultSort={{ id: 'name', descending: false }}
            lineNumbers
            toolbar={
              <CountFilter
                legend="Show only apps in one state"
                counts={counts}
                chosen={state === '' ? null : state}
                onChange={(chosen) => setState(chosen ?? '')}
              />
            }
            emptyText={
              state !== ''
                ? `No app is in the state “${state}”.`
                : appsProblem === null
                  ? `No apps found on ${session.environment.baseUrl}`
                  : 'No apps are known yet.'
            }
            emptyHint={
              state !== ''
                ? 'Press the chip again to show all apps.'
                : appsProblem === null
                  ? 'These credentials have no access to any app. Ask a platform administrator for access.'
                  : 'They appear here once the platform returns them.'
            }
            onRowClick={openApp}
            actions={renderActions}
            csvName={`apps-${session.environment.name}`}
          />
          {pending > 0 && (
            <p className="note">
              States are being read: {formatPlural(pending, 'check')} left, two per app. This list updates.
            </p>
          )}
          {problems.map((text) => (
            <p key={text} className="note">
              {text}
            </p>
          ))}
        </>
      )}
      <InfoCards cards={cards} />
    </Page>
  );
}

const getId = ({ id }: AppRow) => id;
const renderActions = (app: AppRow) => <AppActions app={app} />;

const isText = (_: string): _ is string => true;

function createColumns(starred: ReadonlySet<string>, toggleStar: (id: string) => void): readonly DataColumn<AppRow>[] {
  return [
    {
      id: 'name',
      header: 'name',
      value: (app) => app.name,
      cell: (app) => (
        <span className={styles.name}>
          <StarButton app={app} starred={starred.has(app.id)} onToggle={toggleStar} />
          <Link className="text-link" to="/app/{-$appid}" params={{ appid: app.id }}>
            <PlatformText text={app.name} />
          </Link>
        </span>
      ),
    },
    {
      id: 'id',
      header: 'id',
      value: (app) => app.id,
      cell: (app) => (
        <span className={styles.id}>
          <Copyable value={app.id} label="Copy id" />
        </span>
      ),
      hideBelow: isMobile ? Number.POSITIVE_INFINITY : narrowWidthPx + 1,
    },
    {
      id: 'state',
      header: 'state',
      value: (app) => getStateLabels(app.states).join(', '),
      cell: (app) => <StateChips states={app.states} />,
    },
    { id: 'fqdn', header: 'fqdn', value: (app) => app.fqdn },
    { id: 'schemaName', header: 'schema', value: (app) => app.schemaName, optional: true },
    {
      id: 'functions',
      header: 'functions',
      value: (app) => app.functions.join(', '),
      cell: ({ functions }) => functions.length > 0 && <span className={styles.functions}>{functions.join(', ')}</span>,
      optional: true,
    },
    { id: 'starred', header: 'starred', value: (app) => (starred.has(app.id) ? 'starred' : null), optional: true },
  ];
}

import type { App } from '@portal/contract/apps';
import type { Schedule } from '@portal/contract/deployments';
import { canReachDeployments } from '@portal/contract/environments';
import { IconCircleCheck, IconEdit, IconEye, IconPlus } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { useNow } from '../../api/use-now.ts';
import { useAppFilter } from '../../apps/app-filter.ts';
import { AppListPage } from '../../apps/app-page.tsx';
import { UnknownApp } from '../../apps/unknown-app.tsx';
import { createZoneFormatter } from '../../format/instants.ts';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { useAddress } from '../../state/use-address.ts';
import { CheckBox } from '../../ui/check-box.tsx';
import { CountFilter } from '../../ui/count-filter.tsx';
import { Deferred } from '../../ui/deferred.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { InfoCards } from '../../ui/info-cards.tsx';
import { Page } from '../../ui/page.tsx';
import { readTableAddress } from '../../ui/table/address.ts';
import { DataTable } from '../../ui/table/data-table.tsx';
import { filterRows, searchTexts } from '../../ui/table/rows.ts';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { CalendarFeed } from './calendar/calendar-feed.tsx';
import { DeploymentCalendar } from './calendar/deployment-calendar.tsx';
import styles from './deployments.module.css';
import { useDeploymentsChoices } from './deployments-address.ts';
import { useResolveDialog } from './schedule/resolve-modal.tsx';
import { ScheduleActions } from './schedule/schedule-actions.tsx';
import { getScheduleColumns } from './schedule/schedule-columns.tsx';
import { ScheduleModal } from './schedule/schedule-modal.tsx';
import { countByPeriod, filterByPeriod, periodLabels } from './schedule/schedule-periods.ts';
import { groupByDay } from './schedule/schedule-rows.ts';
import { findSchedule, newestCount, useRefetchForUnknown, useSchedules } from './schedule/use-schedules.ts';
import { SavedDraftsNote } from './wizard/saved-drafts-note.tsx';
import { ScheduleWizard } from './wizard/schedule-wizard.tsx';

const title = 'Scheduled Deployments';
const crumbs = [{ label: title }];

const cards = [
  { Icon: IconEye, name: 'View', text: 'Inspect a deployment: its release details and its history.' },
  { Icon: IconEdit, name: 'Update', text: 'Update a schedule until its deployment is over.' },
  {
    Icon: IconCircleCheck,
    name: 'Resolve',
    text: 'Resolve a completed deployment, or remove one that was called off.',
  },
];

/**
 * The page of scheduled deployments. Its address can be opened in any environment, but the page
 * exists in only two.
 */
export function DeploymentsPage() {
  const { session } = useSession();
  const refusal = useRefusal('deployments.view');
  const { name } = session.environment;
  const { appId, app } = useAppFilter();
  if (canReachDeployments(name) && refusal === null) {
    if (appId !== '' && app === null) return <UnknownApp appId={appId} crumb={title} />;
    return <Deployments app={app} />;
  }
  return (
    <Page crumbs={crumbs} title={title}>
      {canReachDeployments(name) ? (
        <Empty text={refusal ?? ''} />
      ) : (
        <Empty
          text={`Deployments are scheduled in Production. You are signed into ${name}.`}
          hint={<Link to="/">Go home</Link>}
        />
      )}
    </Page>
  );
}

/** Shows the deployments of all apps, or of one app as a page of that app. */
function Deployments({ app }: { app: App | null }) {
  const { session } = useSession();
  const { timeZone } = session.environment;
  const refusal = useRefusal('deployments.change');
  const [{ schedule, wizard, withResolved, period, month, day }, change] = useDeploymentsChoices();
  const schedules = useSchedules({ isUpdating: wizard?.kind === 'update' });
  useProblemPopup('Problem retrieving Deployment Schedules.', schedules);
  useRefetchForUnknown(schedules, schedule ?? (wizard && wizard.kind !== 'new' ? wizard.id : null));
  const resolve = useResolveDialog('list');
  const navigate = useNavigate();

  // The page responds while the thousands after the newest are drawn.
  const isComplete = useDeferredValue(schedules.data?.isComplete === true);
  const loaded = schedules.data?.rows;
  const all = useMemo(() => (isComplete ? loaded : loaded?.slice(0, newestCount)), [loaded, isComplete]);
  const ofApp = useMemo(
    () => (app === null ? all : all?.filter(({ schedule }) => schedule.appIds.includes(app.id))),
    [all, app],
  );
  const rows = useMemo(
    () => (withResolved ? ofApp : ofApp?.filter((row) => row.schedule.scheduleStatus !== 'RESOLVED')),
    [ofApp, withResolved],
  );
  const minute = Math.floor(useNow(60_000) / 60_000);
  const clock = useMemo(() => {
    const now = minute * 60_000;
    return { now, today: createZoneFormatter(timeZone)(new Date(now)).slice(0, 10) };
  }, [minute, timeZone]);
  const listed = useMemo(() => rows && filterByPeriod(rows, period, clock), [rows, period, clock]);
  const byDay = useMemo(() => groupByDay(rows ?? []), [rows]);
  const columns = useMemo(() => getScheduleColumns(session.product), [session.product]);
  const search = readTableAddress(useAddress()[0]).q;
  const counts = useMemo(
    () =>
      countByPeriod(
        search === '' ? (rows ?? []) : filterRows(rows ?? [], searchTexts(rows ?? [], columns), search),
        clock,
      ),
    [rows, columns, search, clock],
  );
  const hidden = (ofApp?.length ?? 0) - (rows?.length ?? 0);
  const view = ({ id }: Schedule) => change({ schedule: id });
  const handlers = {
    update: ({ id }: Schedule) => change({ schedule: null, wizard: { kind: 'update', id } }),
    clone: ({ id }: Schedule) => change({ schedule: null, wizard: { kind: 'clone', id } }),
    resolve: resolve.ask,
  };

  return (
    <AppListPage
      app={app}
      tab="Deployments"
      title={title}
      to="/deployments"
      lead={`Planned releases for ${session.environment.name}. Dates use the time zone ${timeZone}.`}
      actions={
        <>
          <CalendarFeed />
          <ExplainedButton
            leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
            reason={refusal}
            onClick={() => change({ wizard: { kind: 'new' } })}
          >
            New Deployment
          </ExplainedButton>
        </>
      }
    >
      {wizard === null && refusal === null && <SavedDraftsNote onContinue={(purpose) => change({ wizard: purpose })} />}
      <div className={styles.columns}>
        <DataTable
          name={title}
          rows={listed}
          rowId={(row) => row.schedule.id}
          columns={columns}
          isPartial={all !== undefined && !isComplete}
          defaultSort={{ id: 'deploymentDate', descending: true }}
          loading={schedules.isFetching || (schedules.data?.isComplete === true && !isComplete)}
          error={schedules.error}
          errorTitle="Problem retrieving Deployment Schedules."
          onRetry={() => void schedules.refetch()}
          onRowClick={(row) => void navigate({ to: '/deployments/$schedule', params: { schedule: row.schedule.id } })}
          csvName={`deployments-${session.environment.name}`}
          {...(period !== null && rows && rows.length > 0
            ? {
                emptyText: `No deployments are ${periodLabels[period]}.`,
                emptyHint: (
                  <button type="button" className="plain-link" onClick={() => change({ period: null })}>
                    Show all
                  </button>
                ),
              }
            : {
                emptyText: hidden > 0 ? 'All deployments are resolved.' : getEmptyText(app),
                emptyHint: refusal === null ? 'Use New Deployment to schedule one step by step.' : refusal,
              })}
          toolbar={
            <>
              {/* Of the first rows alone, the counts would be wrong. */}
              {isComplete && (period !== null || counts.some(({ count }) => count > 0)) && (
                <CountFilter
                  legend="Show only one period"
                  counts={counts}
                  labels={periodLabels}
                  chosen={period}
                  onChange={(chosen) => change({ period: chosen })}
                />
              )}
              <CheckBox
                label="Show resolved"
                checked={withResolved}
                onChange={(isChecked) => change({ withResolved: isChecked })}
              />
            </>
          }
          actions={(row) => (
            <ScheduleActions schedule={row.schedule} handlers={{ view, ...handlers }} refusal={refusal} />
          )}
        />
        <Deferred>
          <DeploymentCalendar byDay={byDay} today={clock.today} month={month} day={day} onChange={change} />
        </Deferred>
      </div>
      <InfoCards cards={cards} />
      <ScheduleModal
        id={schedule}
        schedules={schedules}
        product={session.product}
        timeZone={timeZone}
        refusal={refusal}
        handlers={handlers}
        onClose={() => change({ schedule: null })}
      />
      <ScheduleWizard
        purpose={wizard}
        origin={wizard && wizard.kind !== 'new' ? findSchedule(schedules, wizard.id) : null}
        load={schedules}
        onClose={() => change({ wizard: null })}
      />
      {resolve.dialog}
    </AppListPage>
  );
}

function getEmptyText(app: App | null): string {
  return app === null ? 'No deployments are scheduled yet.' : `No deployments of ${app.name} are scheduled.`;
}

import { Button } from '@mantine/core';
import type { App } from '@portal/contract/apps';
import { isProduction } from '@portal/contract/environments';
import { getScheduledEvents, type ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { IconRefresh } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { refreshEvery } from '../../api/use-call.ts';
import { withTitle } from '../../api/with-title.ts';
import { useConfig } from '../../apps/app-config.ts';
import { AppPage } from '../../apps/app-page.tsx';
import { FunctionRunModal } from '../../apps/functions/function-run-modal.tsx';
import { LimitedResults } from '../../apps/functions/limited-results.tsx';
import { MissingIndexes } from '../../apps/functions/missing-indexes.tsx';
import { SkippedNote } from '../../apps/skipped-note.tsx';
import { UnknownApp } from '../../apps/unknown-app.tsx';
import { useApp, useRefusal, useSession } from '../../session/use-session.ts';
import { useAppRefusal } from '../../session/use-subject-refusal.ts';
import { ConfirmModal } from '../../ui/confirm-modal.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PlatformText } from '../../ui/platform-text.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { getFunctionColumns } from './function-columns.tsx';
import { type FunctionRow, summarize, toFunctionRows } from './function-rows.ts';
import { getQualifiedName } from './latest-results.ts';
import { ToggleButton } from './toggle-button.tsx';
import { type ToggleRequest, useScheduledFunctions, useToggle } from './use-scheduled-functions.ts';

export function ScheduledFunctionsPage() {
  const { appid = '' } = useParams({ strict: false });
  const app = useApp(appid);
  return app ? <AppFunctions key={app.id} app={app} /> : <UnknownApp appId={appid} crumb="Scheduled Functions" />;
}

function AppFunctions({ app }: { app: App }) {
  const { session } = useSession();
  const viewRefusal = useRefusal('functions.view');
  const toggleRefusal = useAppRefusal('functions.toggle', app.id);
  const { events, newest, last, results } = useScheduledFunctions(app.id, viewRefusal === null);
  useProblemPopup('Error getting scheduled functions!', events);
  const { toggle, pending } = useToggle(app.id);
  const [request, setRequest] = useState<ToggleRequest | null>(null);
  const [isConfirming, setIsConfirming] = useState(false);
  const [failure, setFailure] = useState<ScheduledFunctionResult | null>(null);
  const [isFailureOpen, setIsFailureOpen] = useState(false);

  const isAppDisabled = useIsDisabled(app.id);
  const missingText = describeMissingResult(last);
  const rows = useMemo(() => events.data && toFunctionRows(events.data, results ?? []), [events.data, results]);
  const columns = useMemo(
    () =>
      getFunctionColumns({
        missingText,
        isAppDisabled,
        timeZone: session.environment.timeZone,
        onOpenFailure: (result) => {
          setFailure(result);
          setIsFailureOpen(true);
        },
      }),
    [missingText, isAppDisabled, session.environment.timeZone],
  );

  const inProduction = isProduction(session.environment.name);
  const toggleOrAsk = (row: FunctionRow) => {
    const request: ToggleRequest = {
      scheduledEvent: getQualifiedName(row.event),
      state: row.event.state === 'Enabled' ? 'Disabled' : 'Enabled',
      expected: row.event.state,
    };
    if (!inProduction) return void toggle(request);
    setRequest(request);
    setIsConfirming(true);
  };
  const refresh = () => {
    void events.refetch();
    void newest.refetch();
    void last.refetch();
  };

  return (
    <AppPage
      app={app}
      tab="Functions"
      crumbs={[{ label: 'Apps', to: '/apps' }, { label: `Scheduled Functions ${app.name}` }]}
      lead={
        rows
          ? `${summarize(rows)}. ${isAppDisabled ? 'No function runs: the app is disabled. ' : ''}Schedules use the time zone ${session.environment.timeZone}.`
          : 'The next run and the last result of each function.'
      }
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} stroke={1.6} aria-hidden />}
          loading={events.isFetching && events.data === undefined}
          onClick={refresh}
        >
          Refresh
        </Button>
      }
    >
      {viewRefusal !== null ? (
        <Empty text={viewRefusal} />
      ) : (
        <>
          {newest.isError && events.data && <ResultsProblem load={newest} />}
          {last.isError && !newest.isError && events.data && <ResultsProblem load={last} />}
          <LimitedResults last={last.data} />
          <MissingIndexes last={last.data} />
          <SkippedNote endpoint={getScheduledEvents} appId={app.id} />
          <DataTable
            name="Scheduled functions"
            rows={rows}
            rowId={(row) => row.id}
            columns={columns}
            defaultSort={{ id: 'unit', descending: false }}
            loading={events.isFetching}
            error={events.error}
            onRetry={refresh}
            csvName={`${app.name} scheduled functions`}
            emptyText="No scheduled function could be found for this app."
            emptyHint="Functions marked @Scheduled appear here after the app’s next release."
            actions={(row) => (
              <ToggleButton row={row} refusal={toggleRefusal} pending={pending} onToggle={() => toggleOrAsk(row)} />
            )}
          />
        </>
      )}
      <ConfirmModal
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={request?.state === 'Disabled' ? 'Disable this function?' : 'Enable this function?'}
        confirmLabel={request?.state === 'Disabled' ? 'Disable' : 'Enable'}
        danger
        pending={pending !== null}
        onConfirm={() => request && void toggle(request).then(() => setIsConfirming(false))}
      >
        <p>
          <strong>{request?.scheduledEvent}</strong> of{' '}
          <strong>
            <PlatformText text={app.name} />
          </strong>{' '}
          in <strong>{session.environment.name}</strong>
        </p>
        <p>
          {request?.state === 'Disabled'
            ? 'A disabled function does not run on its schedule until it is enabled again.'
            : isAppDisabled
              ? 'An enabled function runs on its schedule once the app is enabled again.'
              : 'An enabled function runs on its schedule, starting with the next scheduled time.'}
        </p>
      </ConfirmModal>
      <FunctionRunModal
        appId={app.id}
        opened={isFailureOpen}
        onClose={() => setIsFailureOpen(false)}
        result={failure}
      />
    </AppPage>
  );
}

/** Returns whether the app is known to be disabled: none of its functions runs then. */
function useIsDisabled(appId: string): boolean {
  const enabled = useRefusal('config.view') === null;
  return useConfig(appId, { enabled, refetchInterval: refreshEvery(15_000) }).data?.disabled ?? false;
}

/** Returns the text for a function without a known result. */
function describeMissingResult({ data, isFetching }: ReturnType<typeof useScheduledFunctions>['last']): string {
  if (data?.isLimited) return 'Not loaded';
  if (data?.results) return 'No known runs';
  return isFetching ? 'Reading…' : '–';
}

/** Reports that the results failed to load. The table still shows the functions. */
function ResultsProblem({ load }: { load: Pick<UseQueryResult, 'error' | 'data' | 'refetch'> }) {
  return (
    <ProblemNote
      problem={withTitle('Error getting scheduled-function stats!', load.error)}
      hasStaleData={load.data !== undefined}
      onRetry={() => void load.refetch()}
    />
  );
}

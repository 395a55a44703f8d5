// cspell:ignore cound (the specification's text)
import { maxFunctionResults, type ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { useCallback, useMemo, useState } from 'react';
import { getDurationMs, getFirstLine, getResultKind } from '../../apps/functions/function-result.ts';
import { FunctionRunModal } from '../../apps/functions/function-run-modal.tsx';
import { LimitedResults } from '../../apps/functions/limited-results.tsx';
import { MissingIndexes } from '../../apps/functions/missing-indexes.tsx';
import { useFunctionResults } from '../../apps/functions/use-function-results.ts';
import { formatDuration, formatExactMs } from '../../format/durations.ts';
import { useRefusal } from '../../session/use-session.ts';
import { useAddressValue } from '../../state/use-address.ts';
import { CountFilter } from '../../ui/count-filter.tsx';
import { Empty } from '../../ui/empty.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import type { DataColumn } from '../../ui/table/data-table.types.ts';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import styles from './db-spy.module.css';

const kinds = [
  { name: 'failed', tone: 'danger' },
  { name: 'running', tone: 'primary' },
] as const;
const labels = { failed: 'Failed', running: 'Running' };

const isChoice = (text: string): text is 'all' | 'failed' | 'running' =>
  text === 'all' || kinds.some(({ name }) => name === text);

/** The latest runs of an app's scheduled functions, with their failures. */
export function FunctionResults({ appId, appName }: { appId: string; appName: string }) {
  const refusal = useRefusal('functions.view');
  const { newest, last, results } = useFunctionResults(appId, { enabled: refusal === null, limit: maxFunctionResults });
  useProblemPopup('Error getting scheduled-function stats!', newest);
  const [shown, setShown] = useState<ScheduledFunctionResult | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const open = useCallback((result: ScheduledFunctionResult) => {
    setShown(result);
    setIsOpen(true);
  }, []);
  const columns = useMemo(() => getColumns(open), [open]);
  const [chosen, setChosen] = useAddressValue('result', 'all', isChoice);
  const counts = useMemo(
    () =>
      kinds.map((kind) => ({ ...kind, count: results?.filter((run) => getResultKind(run) === kind.name).length ?? 0 })),
    [results],
  );
  const rows = useMemo(
    () => (chosen === 'all' ? results : results?.filter((run) => getResultKind(run) === chosen)),
    [results, chosen],
  );
  if (refusal !== null) return <Empty text={refusal} />;
  return (
    <>
      <LimitedResults last={last.data} />
      <MissingIndexes last={last.data} />
      <DataTable
        name="Processed Scheduled Functions"
        addressPrefix="runs"
        rows={rows}
        rowId={(result) => `${result.qualifiedName} ${result.started}`}
        columns={columns}
        defaultSort={{ id: 'started', descending: true }}
        loading={newest.isFetching || last.isFetching}
        error={newest.error}
        onRetry={() => void newest.refetch()}
        rowTone={(result) => (getResultKind(result) === 'failed' ? 'danger' : null)}
        csvName={`${appName} processed scheduled functions`}
        onRowClick={open}
        toolbar={
          <CountFilter
            legend="Show only runs with one result"
            counts={counts}
            labels={labels}
            chosen={chosen === 'all' ? null : chosen}
            onChange={(kind) => setChosen(kind ?? 'all')}
          />
        }
        emptyText="No Results found! No recently processed scheduled function stats cound be found."
        emptyHint="Functions appear here after their first run."
      />
      <FunctionRunModal appId={appId} opened={isOpen} onClose={() => setIsOpen(false)} result={shown} />
    </>
  );
}

function getColumns(onOpen: (result: ScheduledFunctionResult) => void): DataColumn<ScheduledFunctionResult>[] {
  return [
    { id: 'qualifiedName', header: 'Function Name', value: (result) => result.qualifiedName },
    {
      id: 'started',
      header: 'Started',
      value: (result) => result.started,
      cell: (result) => <RelativeTime at={result.started} />,
    },
    {
      id: 'finished',
      header: 'Finished',
      value: (result) => result.finished,
      cell: (result) => <Finished result={result} />,
    },
    {
      id: 'took',
      header: 'Duration',
      align: 'right',
      value: (result) => getDurationMs(result),
      cell: (result) => {
        const tookMs = getDurationMs(result);
        return tookMs === null ? '–' : <span title={formatExactMs(tookMs)}>{formatDuration(tookMs)}</span>;
      },
    },
    {
      id: 'exception',
      header: 'Exception',
      value: (result) => result.exception,
      cell: (result) =>
        result.exception ? (
          <span className={styles.oneLine} title={result.exception}>
            {getFirstLine(result.exception)}
          </span>
        ) : (
          '–'
        ),
    },
    {
      id: 'stacktrace',
      header: 'Stacktrace',
      value: (result) => result.stacktrace,
      cell: (result) =>
        result.stacktrace ? (
          <button
            type="button"
            className="link-button"
            aria-label={`Show the stacktrace of ${result.qualifiedName}, started ${result.started}`}
            onClick={() => onOpen(result)}
          >
            Show
          </button>
        ) : (
          '–'
        ),
    },
  ];
}

function Finished({ result }: { result: ScheduledFunctionResult }) {
  if (getResultKind(result) === 'running') return <StatusChip tone="primary" label="Running" />;
  return <RelativeTime at={result.finished} />;
}

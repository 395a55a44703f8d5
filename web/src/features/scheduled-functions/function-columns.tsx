import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { getResultKind } from '../../apps/functions/function-result.ts';
import { TimeDistance } from '../../ui/relative-time.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import type { DataColumn } from '../../ui/table/data-table.types.ts';
import { ZoneTime } from '../../ui/zone-time.tsx';
import type { FunctionRow } from './function-rows.ts';
import { LastResult } from './last-result.tsx';
import styles from './scheduled-functions.module.css';

export function getFunctionColumns(options: {
  /** Shown for a function without a known result. */
  missingText: string;
  isAppDisabled: boolean;
  /** Of the environment, whose clock the schedules use. */
  timeZone: string;
  onOpenFailure: (result: ScheduledFunctionResult) => void;
}): DataColumn<FunctionRow>[] {
  return [
    {
      id: 'schedule',
      header: 'Schedule',
      value: (row) => `${row.event.schedule} ${row.event.scheduleInWords ?? ''}`.trim(),
      cell: (row) => (
        <span className={styles.schedule}>
          <code>{row.event.schedule}</code>
          {row.event.scheduleInWords && <span className="quiet">{row.event.scheduleInWords}</span>}
        </span>
      ),
    },
    {
      id: 'unit',
      header: 'Unit',
      value: (row) => row.event.unit,
      cell: (row) => <span className={styles.name}>{row.event.unit}</span>,
    },
    {
      id: 'event',
      header: 'Function',
      namesRow: true,
      value: (row) => row.event.event,
      cell: (row) => <span className={styles.name}>{row.event.event}</span>,
    },
    {
      id: 'state',
      header: 'State',
      value: (row) => row.event.state,
      cell: (row) => <StateChip row={row} />,
    },
    {
      id: 'last',
      header: 'Last result',
      value: (row) => (row.lastResult ? `${getResultKind(row.lastResult)} ${row.lastResult.started}` : null),
      cell: (row) => (
        <LastResult
          result={row.lastResult}
          missingText={options.missingText}
          onOpen={() => row.lastResult && options.onOpenFailure(row.lastResult)}
        />
      ),
    },
    {
      id: 'next',
      header: 'Next run',
      value: (row) => (willNotRun(row, options) ? willNotRunText : row.event.nextRun),
      cell: (row) =>
        willNotRun(row, options) ? (
          <span className="quiet">{willNotRunText}</span>
        ) : (
          <NextRun at={row.event.nextRun} timeZone={options.timeZone} />
        ),
    },
  ];
}

const willNotRunText = 'Will not run: the app is disabled';

/** Whether the schedule of the function would start it, but its app does not run. */
function willNotRun({ event }: FunctionRow, { isAppDisabled }: { isAppDisabled: boolean }): boolean {
  return isAppDisabled && event.nextRun !== null;
}

/** The next run as relative time, and in the zone of its schedule. */
function NextRun({ at, timeZone }: { at: string | null; timeZone: string }) {
  if (at === null) return '–';
  return (
    <span className={styles.result}>
      <span>
        <TimeDistance at={at} />
      </span>
      <span className="quiet">
        <ZoneTime at={at} timeZone={timeZone} />
      </span>
    </span>
  );
}

function StateChip({ row }: { row: FunctionRow }) {
  const isOn = row.event.state === 'Enabled';
  const Icon = isOn ? IconPlayerPlay : IconPlayerPause;
  return (
    <StatusChip
      tone={isOn ? 'success' : 'warning'}
      label={row.event.state}
      icon={<Icon size={13} stroke={1.8} aria-hidden />}
    />
  );
}

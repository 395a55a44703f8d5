import { Tabs } from '@mantine/core';
import { PlatformText } from '../../../ui/platform-text.tsx';
import '@mantine/core/styles/Tabs.layer.css';
import type { SyncBacklog, SyncIntegration } from '@portal/contract/sync/integration';
import type { ReactNode } from 'react';
import { formatDuration } from '../../../format/durations.ts';
import { formatCount, formatPlural } from '../../../format/numbers.ts';
import { useAppRefusal } from '../../../session/use-subject-refusal.ts';
import { useAddressValue } from '../../../state/use-address.ts';
import { SyncHealthChip, SyncStatusChip, syncHealthHint } from '../../../sync/status.tsx';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { scrollToCurrent } from '../../../ui/scroll-to-current.ts';
import tabList from '../../../ui/tab-list.module.css';
import { ActivityPanel } from '../activity/activity-panel.tsx';
import { IntegrationModal } from '../details/integration-modal.tsx';
import { Maintenance } from '../details/maintenance.tsx';
import { StatusHistory } from '../details/status-history.tsx';
import { isWaiting } from '../direction-status.ts';
import type { ShownIntegration } from '../list/use-shown-integration.ts';
import { RecoveryPanel } from '../recovery/recovery-panel.tsx';
import shared from '../sync.module.css';
import { useTryNow } from '../use-integrations.ts';
import { Conflicts } from './conflicts/conflicts.tsx';
import { formatConflictCount } from './conflicts/format-conflict-count.ts';
import { Differences } from './differences.tsx';
import { Enrollment } from './enrollment.tsx';
import { FindRecord } from './find-record.tsx';
import { HeldRecords } from './held-records.tsx';
import styles from './records-modal.module.css';
import { WaitingFiles } from './waiting-files.tsx';

const tabs = [
  ...(['dead', 'waiting', 'parked', 'skipped', 'files', 'conflicts', 'differences'] as const),
  ...(['enrollment', 'find', 'activity', 'history', 'maintenance'] as const),
] as const;
type RecordsTab = (typeof tabs)[number];
const isTab = (text: string): text is RecordsTab => tabs.some((tab) => tab === text);

type RecordsPanel = readonly [tab: RecordsTab, label: string, panel: ReactNode];

const heldTabs = [
  { state: 'dead', label: 'Dead letters', count: ({ deadLetters }: SyncIntegration) => deadLetters },
  { state: 'waiting', label: 'Waiting', count: ({ waiting }: SyncIntegration) => waiting },
  { state: 'parked', label: 'Parked', count: ({ parked }: SyncIntegration) => parked },
  { state: 'skipped', label: 'Skipped', count: ({ skipped, keptRows }: SyncIntegration) => skipped + keptRows },
] as const;

/**
 * The operator's view of an integration: the question that halts it, held records, conflicts,
 * enrollment, activity, status history and maintenance.
 */
export function RecordsModal(props: { shown: ShownIntegration; isOpen: boolean; onClose: () => void }) {
  return (
    <IntegrationModal
      {...props}
      title={({ appName }) => (
        <>
          Records of <PlatformText text={appName} />
        </>
      )}
      size="min(1300px, 96vw)"
    >
      {(integration) => <Records key={integration.id} integration={integration} />}
    </IntegrationModal>
  );
}

function Records({ integration }: { integration: SyncIntegration }) {
  const refusal = useAppRefusal('sync.change', integration.id);
  const [tab, setTab] = useAddressValue('tab', 'dead', isTab);
  const panels: readonly RecordsPanel[] = [
    ...heldTabs.map(
      ({ state, label, count }): RecordsPanel => [
        state,
        withCount(label, count(integration)),
        <HeldRecords key={state} integration={integration} state={state} refusal={refusal} />,
      ],
    ),
    [
      'files',
      withCount('Files', integration.waitingFiles),
      <WaitingFiles key="files" integration={integration} refusal={refusal} />,
    ],
    [
      'conflicts',
      integration.conflicts === 0 ? 'Conflicts' : `Conflicts (${formatConflictCount(integration.conflicts)})`,
      <Conflicts key="conflicts" integration={integration} refusal={refusal} />,
    ],
    [
      'differences',
      withCount('Differences', integration.differences),
      <Differences key="differences" integration={integration} refusal={refusal} />,
    ],
    [
      'enrollment',
      withCount('Enrollment', integration.waitingEnrollment),
      <Enrollment key="enrollment" integration={integration} refusal={refusal} />,
    ],
    ['find', 'Find a record', <FindRecord key="find" integration={integration} refusal={refusal} />],
    ['activity', 'Activity', <ActivityPanel key="activity" integration={integration} />],
    ['history', 'Status history', <StatusHistory key="history" integration={integration} />],
    ['maintenance', 'Maintenance', <Maintenance key="maintenance" integration={integration} refusal={refusal} />],
  ];
  return (
    <div className="stack">
      <RecoveryPanel integration={integration} refusal={refusal} onOpenTab={setTab} />
      <StatusSummary integration={integration} refusal={refusal} />
      <Tabs value={tab} onChange={(value) => value !== null && isTab(value) && setTab(value)} keepMounted={false}>
        <Tabs.List ref={scrollToCurrent} className={tabList.list} aria-label="Records">
          {panels.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {panels.map(([value, , panel]) => (
          <Tabs.Panel key={value} value={value} className={styles.panel}>
            {panel}
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  );
}

function withCount(label: string, count: number): string {
  return count === 0 ? label : `${label} (${formatCount(count)})`;
}

/** The status of both directions, above the lists. */
function StatusSummary({ integration, refusal }: { integration: SyncIntegration; refusal: string | null }) {
  const { id, status, health, haltedSince, haltReason, needsDecision, horizonHeldBy, rounded } = integration;
  const tryNow = useTryNow();
  const hasWait = status === 'Enabled' && [integration.heliumSyncStatus, integration.journeySyncStatus].some(isWaiting);
  return (
    <div className={styles.summary}>
      <p>
        <SyncStatusChip status={status} /> <SyncHealthChip health={health} />
        <span>
          To Journey: {integration.heliumSyncStatus}
          {status === 'Enabled' && <Lag lagMs={integration.heliumToJourneyLagMs} />}
          <Backlog backlog={integration.changeLogBacklog} />
        </span>
        <span>
          To Helium: {integration.journeySyncStatus}
          {status === 'Enabled' && <Lag lagMs={integration.journeyToHeliumLagMs} />}
          <Backlog backlog={integration.oplogBacklog} />
        </span>
        {hasWait && (
          <ExplainedButton
            variant="default"
            size="compact-sm"
            reason={refusal}
            hint="Ends all waits before the next attempt"
            loading={tryNow.isPending}
            onClick={() => tryNow.mutate(id)}
          >
            Try now
          </ExplainedButton>
        )}
      </p>
      {status === 'Halted' && !needsDecision && (
        <p className={shared.danger}>
          {haltReason} {haltedSince !== null && <RelativeTime at={haltedSince} />}
        </p>
      )}
      {(horizonHeldBy !== null || rounded > 0) && (
        <p className="note">
          {horizonHeldBy !== null && `Change log ${horizonHeldBy}. `}
          {rounded > 0 && `Rounded in Journey: ${formatPlural(rounded, 'record')}.`}
        </p>
      )}
      <details className="note">
        <summary>What {health} means</summary>
        <p>{syncHealthHint}</p>
      </details>
    </div>
  );
}

/** What waits in the log of a side while nothing runs. */
function Backlog({ backlog }: { backlog: SyncBacklog }) {
  if (backlog === null) return null;
  return (
    <span className="note">
      {' '}
      {formatPlural(backlog.entries, 'log entry', 'log entries')} waiting
      {backlog.since !== null && (
        <>
          {' since '}
          <RelativeTime at={backlog.since} />
        </>
      )}
    </span>
  );
}

function Lag({ lagMs }: { lagMs: number }) {
  return <span className="note"> lag {lagMs === 0 ? 'none' : formatDuration(lagMs)}</span>;
}

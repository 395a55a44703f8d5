import { Tabs } from '@mantine/core';
import '@mantine/core/styles/Tabs.layer.css';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import type { ReactNode } from 'react';
import { formatCount, formatDuration } from '../../../lib/format.ts';
import { useAddressValue } from '../../../lib/use-address.ts';
import { SyncHealthChip, SyncStatusChip, syncHealthHint } from '../../../shared/sync-status.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { IntegrationModal } from '../details/integration-modal.tsx';
import { Maintenance } from '../details/maintenance.tsx';
import { StatusHistory } from '../details/status-history.tsx';
import type { ShownIntegration } from '../list/use-shown-integration.ts';
import { RecoveryPanel } from '../recovery/recovery-panel.tsx';
import shared from '../sync.module.css';
import { Conflicts } from './conflicts.tsx';
import { formatConflictCount } from './format-conflict-count.ts';
import { HeldRecords } from './held-records.tsx';
import styles from './records-modal.module.css';

const tabs = ['dead', 'parked', 'skipped', 'conflicts', 'history', 'maintenance'] as const;
type RecordsTab = (typeof tabs)[number];
const isTab = (text: string): text is RecordsTab => tabs.some((tab) => tab === text);

interface RecordsProps {
  /** Why this user may not change anything; null when they may. */
  readonly refusal: string | null;
}

/**
 * The operator's view of an integration: the question that halts it, held records, conflicts, status history and maintenance.
 */
export function RecordsModal(props: RecordsProps & { shown: ShownIntegration; isOpen: boolean; onClose: () => void }) {
  return (
    <IntegrationModal {...props} title={({ appName }) => `Records of ${appName}`} size="min(1300px, 96vw)">
      {(integration) => <Records key={integration.id} integration={integration} refusal={props.refusal} />}
    </IntegrationModal>
  );
}

function Records({ integration, refusal }: RecordsProps & { integration: SyncIntegration }) {
  const [tab, setTab] = useAddressValue('tab', 'dead', isTab);
  const panels: readonly (readonly [tab: RecordsTab, label: string, panel: ReactNode])[] = [
    [
      'dead',
      withCount('Dead letters', integration.deadLetters),
      <HeldRecords key="dead" integration={integration} state="dead" refusal={refusal} />,
    ],
    [
      'parked',
      withCount('Parked', integration.parked),
      <HeldRecords key="parked" integration={integration} state="parked" refusal={refusal} />,
    ],
    ['skipped', 'Skipped', <HeldRecords key="skipped" integration={integration} state="skipped" refusal={refusal} />],
    [
      'conflicts',
      integration.conflicts === 0 ? 'Conflicts' : `Conflicts (${formatConflictCount(integration.conflicts)})`,
      <Conflicts key="conflicts" integration={integration} />,
    ],
    ['history', 'Status history', <StatusHistory key="history" integration={integration} />],
    ['maintenance', 'Maintenance', <Maintenance key="maintenance" integration={integration} refusal={refusal} />],
  ];
  return (
    <div className="stack">
      <RecoveryPanel integration={integration} refusal={refusal} onOpenTab={setTab} />
      <StatusSummary integration={integration} />
      <Tabs value={tab} onChange={(value) => value !== null && isTab(value) && setTab(value)} keepMounted={false}>
        <Tabs.List>
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
function StatusSummary({ integration }: { integration: SyncIntegration }) {
  const { status, health, haltedSince, haltReason, needsDecision, horizonHeldBy } = integration;
  return (
    <div className={styles.summary}>
      <p>
        <SyncStatusChip status={status} /> <SyncHealthChip health={health} />
        <span>
          To Journey: {integration.heliumSyncStatus}
          {status === 'Enabled' && `, lag ${formatLag(integration.heliumToJourneyLagMs)}`}
        </span>
        <span>
          To Helium: {integration.journeySyncStatus}
          {status === 'Enabled' && `, lag ${formatLag(integration.journeyToHeliumLagMs)}`}
        </span>
      </p>
      {status === 'Halted' && !needsDecision && (
        <p className={shared.danger}>
          {haltReason} {haltedSince !== null && <RelativeTime at={haltedSince} />}
        </p>
      )}
      <p className="note">
        {horizonHeldBy !== null && `Change log ${horizonHeldBy}. `}
        {syncHealthHint}
      </p>
    </div>
  );
}

function formatLag(lagMs: number): string {
  return lagMs === 0 ? 'none' : formatDuration(lagMs);
}

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
import type { Shown } from '../list/use-shown.ts';
import shared from '../sync.module.css';
import { Conflicts } from './conflicts.tsx';
import { HeldRecords } from './held-records.tsx';
import styles from './records-modal.module.css';

const tabs = ['dead', 'parked', 'skipped', 'conflicts', 'history', 'maintenance'] as const;
type RecordsTab = (typeof tabs)[number];
const isTab = (text: string): text is RecordsTab => tabs.some((tab) => tab === text);

interface RecordsProps {
  /** Why this user may change nothing; null when they may. */
  readonly refusal: string | null;
}

/**
 * For operators: what waits, what failed, what both sides changed, what became of its status, and
 * the remedies.
 */
export function RecordsModal(props: RecordsProps & { shown: Shown; isOpen: boolean; onClose: () => void }) {
  return (
    <IntegrationModal {...props} title={({ appName }) => `Records of ${appName}`} size="min(1300px, 96vw)">
      {(integration) => <Records key={integration.id} of={integration} refusal={props.refusal} />}
    </IntegrationModal>
  );
}

function Records({ of, refusal }: RecordsProps & { of: SyncIntegration }) {
  const [tab, setTab] = useAddressValue('tab', 'dead', isTab);
  const panels: readonly (readonly [tab: RecordsTab, label: string, panel: ReactNode])[] = [
    [
      'dead',
      withCount('Dead letters', of.deadLetters),
      <HeldRecords key="dead" of={of} state="dead" refusal={refusal} />,
    ],
    ['parked', withCount('Parked', of.parked), <HeldRecords key="parked" of={of} state="parked" refusal={refusal} />],
    ['skipped', 'Skipped', <HeldRecords key="skipped" of={of} state="skipped" refusal={refusal} />],
    ['conflicts', withCount('Conflicts', of.conflicts), <Conflicts key="conflicts" of={of} />],
    ['history', 'Status history', <StatusHistory key="history" of={of} />],
    ['maintenance', 'Maintenance', <Maintenance key="maintenance" of={of} refusal={refusal} />],
  ];
  return (
    <div className="stack">
      <Standing of={of} />
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

/** How it stands, in a few lines above the lists. */
function Standing({ of }: { of: SyncIntegration }) {
  const { status, health, haltedSince, haltReason, horizonHeldBy } = of;
  return (
    <div className={styles.standing}>
      <p>
        <SyncStatusChip status={status} /> <SyncHealthChip health={health} />
        <span>
          To Journey: {of.heliumSyncStatus}
          {status === 'Enabled' && `, lag ${lagText(of.heliumToJourneyLagMs)}`}
        </span>
        <span>
          To Helium: {of.journeySyncStatus}
          {status === 'Enabled' && `, lag ${lagText(of.journeyToHeliumLagMs)}`}
        </span>
      </p>
      {status === 'Halted' && (
        <p className={shared.danger}>
          {haltReason} {haltedSince !== null && <RelativeTime at={haltedSince} />}
        </p>
      )}
      <p className="note">
        Change log: {horizonHeldBy === null ? 'held by nobody.' : `held by ${horizonHeldBy}`} {syncHealthHint}
      </p>
    </div>
  );
}

function lagText(lagMs: number): string {
  return lagMs === 0 ? 'none' : formatDuration(lagMs);
}

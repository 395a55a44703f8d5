import { Drawer } from '@mantine/core';
import { PlatformText } from '../../ui/platform-text.tsx';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Drawer.layer.css';
import type { AuditEntry } from '@portal/contract/audit';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatInstant } from '../../format/instants.ts';
import { useApp } from '../../session/use-session.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { LongWords } from '../../ui/long-words.tsx';
import styles from './audit.module.css';
import { getKindLabel } from './describe-resource.ts';
import { DifferenceTable } from './difference-table.tsx';
import { OutcomeChip } from './outcome-chip.tsx';

/** All details of one audit entry. */
export function AuditDetails({
  entry,
  opened,
  onClose,
}: {
  entry: AuditEntry | null;
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size="lg"
      title="Audit entry"
      classNames={{ title: styles.drawerTitle }}
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {entry && <Details entry={entry} />}
    </Drawer>
  );
}

function Details({ entry }: { entry: AuditEntry }) {
  const app = useApp(entry.resourceKind === 'app' ? (entry.resource ?? '') : '');
  const hasValues = entry.before !== null || entry.after !== null;
  return (
    <div className="stack-l">
      <p>{entry.description}</p>
      <div className={styles.outcome}>
        <OutcomeChip outcome={entry.outcome} attempts={entry.attempts} />
        {entry.reason && <span>{entry.reason}</span>}
      </div>
      {hasValues && <DifferenceTable before={entry.before} after={entry.after} />}
      <dl className={styles.facts}>
        <Fact name={entry.lastAt === null ? 'When' : 'First attempt'}>
          <Instant at={entry.at} />
        </Fact>
        {entry.lastAt !== null && (
          <Fact name="Last attempt">
            <Instant at={entry.lastAt} />
          </Fact>
        )}
        <Fact name="User">{entry.username}</Fact>
        <Fact name="Environment">{entry.environment}</Fact>
        <Fact name="Action">
          <code>{entry.action}</code>
        </Fact>
        {entry.resource !== null && (
          <Fact name={getKindLabel(entry.resourceKind)}>
            {app ? (
              <Link to="/config/$appid" params={{ appid: app.id }}>
                <PlatformText text={app.name} />
              </Link>
            ) : (
              entry.resourceName
            )}
            <br />
            <Copyable value={entry.resource} />
          </Fact>
        )}
        <Fact name="Address">{entry.address ?? 'unknown'}</Fact>
        <Fact name="User agent">
          <LongWords text={entry.userAgent ?? 'unknown'} />
        </Fact>
        <Fact name="Request id">{entry.requestId === null ? 'none' : <Copyable value={entry.requestId} />}</Fact>
        <Fact name="Entry">{entry.id}</Fact>
      </dl>
    </div>
  );
}

function Instant({ at }: { at: string }) {
  const instant = new Date(at);
  return (
    <>
      {formatInstant(instant, false)}
      <br />
      <span className="quiet">{formatInstant(instant, true)}</span>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

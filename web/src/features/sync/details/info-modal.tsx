import { getSyncBase } from '@portal/contract/sync-base';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import type { ReactNode } from 'react';
import { formatDuration } from '../../../lib/format.ts';
import { useSession } from '../../../session/use-session.ts';
import { SyncHealthChip, SyncStatusChip, syncHealthHint } from '../../../shared/sync-status.tsx';
import { Copyable, CopyButton } from '../../../ui/copyable.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import type { Shown } from '../list/use-shown.ts';
import styles from './info-modal.module.css';
import { IntegrationModal } from './integration-modal.tsx';
import { JourneyPassword } from './journey-password.tsx';
import { versionCommand } from './shell-command.ts';

export function InfoModal(props: { shown: Shown; isOpen: boolean; onClose: () => void }) {
  return (
    <IntegrationModal {...props} title={({ appName }) => appName} size="min(760px, 96vw)">
      {(integration) => <Info key={integration.id} of={integration} />}
    </IntegrationModal>
  );
}

function Info({ of }: { of: SyncIntegration }) {
  const { session } = useSession();
  const command = (field: 'changeLogVersion' | 'oplogVersion') =>
    versionCommand({
      origin: window.location.origin,
      base: getSyncBase(session.environment.name),
      appId: of.id,
      heliumBaseUrl: session.environment.baseUrl,
      username: session.username,
      field,
    });
  return (
    <>
      <dl className={styles.facts}>
        <Fact name="Status">
          <SyncStatusChip status={of.status} /> <SyncHealthChip health={of.health} />
          <p className="note">{syncHealthHint}</p>
        </Fact>
        {of.haltedSince !== null && (
          <Fact name="Halted">
            <RelativeTime at={of.haltedSince} />: {of.haltReason}
          </Fact>
        )}
        <Fact name="App ID">
          <Copyable value={of.id} label="Copy the app id" />
        </Fact>
        <Fact name="Helium API URL">
          <Copyable value={of.heliumBaseUrl} />
        </Fact>
        <Fact name="Journey API URL">
          <Copyable value={of.journeyBaseUrl} />
        </Fact>
        <Fact name="Journey environment">{of.journeyEnvironment}</Fact>
        <Fact name="Journey user">
          <Copyable value={of.journeyUserName} />
        </Fact>
        <Fact name="Journey password">
          <JourneyPassword appId={of.id} masked={of.journeyPassword} />
        </Fact>
        <Fact name="Journey last sync">
          <Sync at={of.journeyLastUpdated} status={of.journeySyncStatus} />
        </Fact>
        <Fact name="Helium last sync">
          <Sync at={of.heliumLastUpdated} status={of.heliumSyncStatus} />
        </Fact>
        {of.lastPinged !== null && (
          <Fact name="Last pinged">
            <RelativeTime at={of.lastPinged} />
          </Fact>
        )}
        {of.status === 'Enabled' && (
          <Fact name="Lag">
            {formatDuration(of.heliumToJourneyLagMs)} to Journey, {formatDuration(of.journeyToHeliumLagMs)} to Helium
          </Fact>
        )}
        <Fact name="Last Helium version processed (change-log)">
          <Version version={of.changeLogVersion} command={command('changeLogVersion')} of="change-log" />
        </Fact>
        <Fact name="Last Journey version processed (op-log)">
          <Version version={of.oplogVersion} command={command('oplogVersion')} of="op-log" />
        </Fact>
        <Fact name="Configuration">
          changed by {of.changedBy}, <RelativeTime at={of.changedAt} />
        </Fact>
      </dl>
      <p className={styles.helper}>
        The commands ask with curl as {session.username}, with the password in <code>$PASSWORD</code>. Put it there
        first, so that it stays out of the shell’s history: <code>read -rs PASSWORD</code>
        <CopyButton value="read -rs PASSWORD" label="Copy the command that reads the password" />
      </p>
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

function Sync({ at, status }: { at: number | null; status: string }) {
  return (
    <>
      {at === null ? 'never' : <RelativeTime at={at} />} <span className="note">({status})</span>
    </>
  );
}

function Version({ version, command, of }: { version: string; command: string; of: string }) {
  return (
    <>
      <span className="numbers">{version}</span>
      <span className={styles.command}>
        <code>{command}</code>
        <CopyButton value={command} label={`Copy the command for the ${of} version`} />
      </span>
    </>
  );
}

import { getSyncBase } from '@portal/contract/sync/base';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatPlural } from '../../../format/numbers.ts';
import { useSession } from '../../../session/use-session.ts';
import { SyncHealthChip, SyncStatusChip, syncHealthHint } from '../../../sync/status.tsx';
import { Copyable, CopyButton } from '../../../ui/copyable.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { formatLag } from '../direction-status.ts';
import type { ShownIntegration } from '../list/use-shown-integration.ts';
import styles from './info-modal.module.css';
import { IntegrationModal } from './integration-modal.tsx';
import { JourneyPassword } from './journey-password.tsx';
import { versionCommand } from './shell-command.ts';

export function InfoModal(props: { shown: ShownIntegration; isOpen: boolean; onClose: () => void }) {
  return (
    <IntegrationModal {...props} title={({ appName }) => <PlatformText text={appName} />} size="min(760px, 96vw)">
      {(integration) => <Info key={integration.id} integration={integration} />}
    </IntegrationModal>
  );
}

function Info({ integration }: { integration: SyncIntegration }) {
  const { session } = useSession();
  const command = (field: 'changeLogVersion' | 'oplogVersion') =>
    versionCommand({
      origin: window.location.origin,
      base: getSyncBase(session.environment.name),
      appId: integration.id,
      heliumBaseUrl: session.environment.baseUrl,
      username: session.username,
      field,
    });
  return (
    <>
      <dl className={styles.facts}>
        <Fact name="Status">
          <SyncStatusChip status={integration.status} /> <SyncHealthChip health={integration.health} />
          <p className="note">{syncHealthHint}</p>
        </Fact>
        {integration.haltedSince !== null && (
          <Fact name="Halted">
            <RelativeTime at={integration.haltedSince} />: {integration.haltReason}
          </Fact>
        )}
        {integration.needsDecision && (
          <Fact name="Needs a decision">
            <Link to="/sync/{-$appid}" search={{ records: integration.id }}>
              Show the question
            </Link>
          </Fact>
        )}
        {integration.pausedObjects.count > 0 && (
          <Fact name="Paused objects">
            <PausedObjects paused={integration.pausedObjects} />
          </Fact>
        )}
        {integration.mappingWarnings.count > 0 && (
          <Fact name="Mapping warnings">
            <MappingWarnings warnings={integration.mappingWarnings} />
          </Fact>
        )}
        {integration.rounded > 0 && (
          <Fact name="Rounded in Journey">
            {formatPlural(integration.rounded, 'record')}
            <p className="note">
              A decimal has more digits in Helium than Journey can hold. Helium keeps them until the value is edited in
              Journey.
            </p>
          </Fact>
        )}
        <Fact name="App ID">
          <Copyable value={integration.id} label="Copy the app id" />
        </Fact>
        <Fact name="Helium API URL">
          <Copyable value={integration.heliumBaseUrl} />
        </Fact>
        <Fact name="Journey API URL">
          <Copyable value={integration.journeyBaseUrl} />
        </Fact>
        <Fact name="Journey environment">{integration.journeyEnvironment}</Fact>
        <Fact name="Journey user">
          <Copyable value={integration.journeyUserName} />
        </Fact>
        <Fact name="Journey password">
          <JourneyPassword appId={integration.id} masked={integration.journeyPassword} />
        </Fact>
        <Fact name="Journey last sync">
          <Sync at={integration.journeyLastUpdated} status={integration.journeySyncStatus} />
        </Fact>
        <Fact name="Helium last sync">
          <Sync at={integration.heliumLastUpdated} status={integration.heliumSyncStatus} />
        </Fact>
        {integration.lastPinged !== null && (
          <Fact name="Last pinged">
            <RelativeTime at={integration.lastPinged} />
          </Fact>
        )}
        {integration.status === 'Enabled' && (
          <Fact name="Lag">
            {formatLag(integration.heliumToJourneyLagMs)} to Journey, {formatLag(integration.journeyToHeliumLagMs)} to
            Helium
          </Fact>
        )}
        <Fact name="Last Helium version processed (change-log)">
          <Version version={integration.changeLogVersion} command={command('changeLogVersion')} log="change-log" />
        </Fact>
        <Fact name="Last Journey version processed (op-log)">
          <Version version={integration.oplogVersion} command={command('oplogVersion')} log="op-log" />
        </Fact>
        <Fact name="Configuration">
          changed by {integration.changedBy}, <RelativeTime at={integration.changedAt} />
        </Fact>
      </dl>
      <p className={styles.helper}>
        The commands call the sync service with curl as {session.username} and read the password from{' '}
        <code>$PASSWORD</code>. Set it first to keep it out of the shell’s history: <code>read -rs PASSWORD</code>
        <CopyButton value="read -rs PASSWORD" label="Copy the command that reads the password" />
      </p>
    </>
  );
}

/** What is not synced until an operator accepts it by a save. */
function PausedObjects({ paused: { count, first } }: { paused: SyncIntegration['pausedObjects'] }) {
  const others = count - first.length;
  return (
    <>
      <ul className={styles.warnings}>
        {first.map(({ object, reason }) => (
          <li key={object}>
            {object}: {reason}
          </li>
        ))}
        {others > 0 && <li>{formatPlural(others, 'more object')}: the log lists all.</li>}
      </ul>
      <p className="note">They are not synced. Restore what is missing, or save the integration to sync without it.</p>
    </>
  );
}

/** What the last run did not sync. */
function MappingWarnings({ warnings: { count, first } }: { warnings: SyncIntegration['mappingWarnings'] }) {
  const others = count - first.length;
  return (
    <ul className={styles.warnings}>
      {first.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
      {others > 0 && <li>{formatPlural(others, 'more warning')}: test the connection in the form to list all.</li>}
    </ul>
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

function Version({ version, command, log }: { version: string; command: string; log: string }) {
  return (
    <>
      <span className="numbers">{version}</span>
      <span className={styles.command}>
        <code>{command}</code>
        <CopyButton value={command} label={`Copy the command for the ${log} version`} />
      </span>
    </>
  );
}

import { defaultMaxDeletedPercent } from '@portal/contract/sync/config';
import { parseDeploymentId } from '@portal/contract/sync/config-rules';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import type { ReactNode } from 'react';
import { paths } from '../draft/draft.ts';
import { useForm } from '../draft/use-sync-form.ts';
import styles from '../sync-form.module.css';
import { ChoiceField, TextField, ToggleField } from './form-fields.tsx';
import { Collapsible, FormSection } from './form-section.tsx';

const versionNote = (isNew: boolean, log: string) =>
  isNew ? `0 means process all changes of the ${log} from the beginning` : 'Read-only once the integration exists';

export function StateSection() {
  return (
    <FormSection title="Integration" note="Whether the integration runs, and which directions are synced.">
      <div className={styles.toggles}>
        <ToggleField path="enabled" description="Runs as soon as it is saved" />
        <ToggleField path="enableHeliumToJourney" description="Changes in Helium go to Journey" />
        <ToggleField path="enableJourneyToHelium" description="Changes in Journey go to Helium" />
      </div>
      <p className={styles.notice} role="note">
        Disable the middleware before a Helium upgrade: switch Enabled off and save, upgrade the app, then enable it
        again.
      </p>
    </FormSection>
  );
}

export function ConnectionsSection() {
  const { form } = useForm();
  const fillInDeploymentId = () => {
    const id = parseDeploymentId(form.value(paths.journeyUrl));
    if (id === null) return;
    const empty = [paths.userName, 'journey.appId'].filter((path) => form.value(path) === '');
    if (empty.length > 0) form.change(Object.fromEntries(empty.map((path) => [path, id])));
  };
  return (
    <FormSection
      title="Connections"
      note="The Helium connection is set by the app. The Journey connection is a deployment of the mobile app."
    >
      <div className={styles.fields}>
        <TextField path="helium.baseUrl" readOnly mono />
        <TextField path="helium.dbSchema" readOnly mono />
        <TextField
          path={paths.journeyUrl}
          type="url"
          inputMode="url"
          placeholder="https://run-testing-us.journeyapps.com/api/v4/<24 hex>"
          onLeave={fillInDeploymentId}
          wide
          mono
        />
        <TextField path={paths.userName} description="Deployment ID" mono />
        <TextField
          path={paths.password}
          type="password"
          placeholder={form.isNew ? '' : '********'}
          description={form.isNew ? 'For the deployment’s REST API' : 'Leave empty to keep the stored password'}
        />
      </div>
    </FormSection>
  );
}

export function HeliumToJourneySection({ helpers }: { helpers: ReactNode }) {
  const { form } = useForm();
  return (
    <FormSection title="Helium to Journey" note="Settings for reading the app's change log.">
      <div className={styles.fields}>
        <TextField
          path={paths.changeLogMinVersion}
          readOnly={!form.isNew}
          inputMode="numeric"
          description={versionNote(form.isNew, 'change log')}
          mono
        />
        <TextField
          path={paths.skipTables}
          description="Comma-separated, no spaces; changes to these tables stay in Helium"
          placeholder="table_one,table_two"
          wide
          mono
        />
      </div>
      {helpers}
    </FormSection>
  );
}

export function JourneyToHeliumSection() {
  const { form } = useForm();
  return (
    <FormSection title="Journey to Helium" note="Settings for reading the deployment's op-log.">
      <div className={styles.fields}>
        <TextField
          path={paths.oplogMinVersion}
          readOnly={!form.isNew}
          inputMode="numeric"
          description={versionNote(form.isNew, 'op-log')}
          mono
        />
        <TextField
          path={paths.skipObjectTypes}
          description="Comma-separated, no spaces; changes to these objects stay in Journey"
          placeholder="typeOne,typeTwo"
          wide
          mono
        />
      </div>
    </FormSection>
  );
}

const policies = [
  { value: 'later', label: 'The later change wins' },
  { value: 'helium', label: 'Helium wins' },
  { value: 'journey', label: 'Journey wins' },
] as const;

const deletionsNote =
  'When more of an object than this is missing on one side and no log reports why, the sync stops and asks before it deletes. Up to 20 records are deleted without asking; an object is never emptied';

export function AdvancedSection() {
  const { form } = useForm();
  const isNeeded = ['conflictPolicy', paths.maxDeletedPercent, 'journey.appId'].some(
    (path) => form.getError(path) !== null,
  );
  return (
    <FormSection title="Advanced" note="Rarely changed.">
      <Collapsible summary="Show Advanced" isNeeded={isNeeded}>
        <div className={styles.fields}>
          <ChoiceField
            path="conflictPolicy"
            choices={policies}
            description="Changes to different fields of a record are merged. Both values are kept in the list of conflicts"
          />
          <TextField
            path={paths.maxDeletedPercent}
            inputMode="numeric"
            placeholder={String(defaultMaxDeletedPercent)}
            description={deletionsNote}
          />
          <ToggleField
            path="logRecordIds"
            description="The log names each record that is synced, one line per record, so it reaches back less far"
          />
          <TextField path="journey.appId" description="Deployment ID, as in its URL" mono />
          <TextField path="helium.appId" readOnly mono />
        </div>
      </Collapsible>
    </FormSection>
  );
}

/** The current position of an existing integration. Times are the service's epoch milliseconds. */
export function PositionFacts({ integration }: { integration: SyncIntegration }) {
  const facts = [
    ['Change-log version processed', integration.changeLogVersion],
    ['Op-log version processed', integration.oplogVersion],
    ['Helium last updated (ms)', formatTimestamp(integration.heliumLastUpdated)],
    ['Journey last updated (ms)', formatTimestamp(integration.journeyLastUpdated)],
  ] as const;
  return (
    <FormSection title="Current state" note="Updates every 5 seconds.">
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </FormSection>
  );
}

function formatTimestamp(atMs: number | null): ReactNode {
  if (atMs === null) return '–';
  return <span title={new Date(atMs).toISOString()}>{atMs}</span>;
}

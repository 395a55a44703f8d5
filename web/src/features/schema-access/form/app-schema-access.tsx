import { Skeleton, TextInput } from '@mantine/core';
import type { App } from '@portal/contract/apps';
import { useRefusal } from '../../../session/use-session.ts';
import { useAppRefusal } from '../../../session/use-subject-refusal.ts';
import { Empty } from '../../../ui/empty.tsx';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { useProblemPopup } from '../../../ui/use-problem-popup.ts';
import { AccessHistory } from '../grants/access-history.tsx';
import { ResultsCard } from '../grants/results-card.tsx';
import { PlanModal } from '../plan/plan-modal.tsx';
import styles from '../schema-access.module.css';
import { useAccessChoices } from '../schema-access-address.ts';
import { useAccessDialogs } from '../use-access-dialogs.ts';
import { type AccessHistoryLoad, useAccessHistory, useTeamNames } from '../use-schema-access.ts';
import { PermissionNote } from './permission-note.tsx';
import { TeamSelect } from './team-select.tsx';

/** The schema access of one app, shown as a tab of its configuration. */
export function AppSchemaAccess({ app }: { app: App }) {
  const refusal = useRefusal('schema-access.view');
  return refusal === null ? <AppAccess app={app} /> : <Empty text={refusal} />;
}

function AppAccess({ app }: { app: App }) {
  const refusal = useAppRefusal('schema-access.grant', app.id);
  const [choices, change] = useAccessChoices();
  const teams = useTeamNames();
  const team = teams.data?.find((name) => name === choices.team) ?? null;
  const dialogs = useAccessDialogs();
  const history = useAccessHistory(app.id);
  useProblemPopup('Unable to get the access history', history);
  return (
    <>
      <div className={styles.columns}>
        <div className={styles.section}>
          <div className="stack">
            <TextInput label="App" value={`${app.name} (${app.schemaName})`} readOnly />
            <TeamSelect load={teams} team={team} onChange={(next) => change({ team: next })} />
          </div>
          <div className="wrap">
            <ExplainedButton
              reason={refusal ?? (team === null ? 'Select a team first.' : null)}
              hint="Shows a preview first"
              onClick={() => team !== null && dialogs.openGrant(team, { appId: app.id, schemaName: app.schemaName })}
            >
              Grant Access
            </ExplainedButton>
          </div>
        </div>
        <div className={styles.beside}>
          <CurrentAccess load={history} />
          <PermissionNote />
        </div>
      </div>
      {dialogs.result && (
        <ResultsCard result={dialogs.result} onDismiss={dialogs.dismiss} onRevert={dialogs.openRevert} />
      )}
      <AccessHistory load={history} appName={app.name} onRevert={dialogs.openRevert} />
      <PlanModal {...dialogs.dialog} />
    </>
  );
}

/** Shows who currently has access through a grant of this portal. */
function CurrentAccess({ load }: { load: AccessHistoryLoad }) {
  if (load.data === undefined) return load.isError ? null : <Skeleton height={20} width="60%" />;
  const grant = load.data.find(({ state }) => state === 'granted');
  return (
    <p>
      {grant ? (
        <>
          <strong>{grant.team}</strong> has access, granted <RelativeTime at={grant.grantedAt} /> by {grant.grantedBy}.
        </>
      ) : (
        'No team has been granted access in the portal, so the schema belongs to the platform.'
      )}
    </p>
  );
}

import { Skeleton, TextInput } from '@mantine/core';
import type { App } from '@portal/contract/apps';
import { useRefusal } from '../../../session/use-session.ts';
import { ActButton } from '../../../ui/act-button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { useProblemPopup } from '../../../ui/use-problem-popup.ts';
import { When } from '../../../ui/when.tsx';
import { AccessHistory } from '../grants/access-history.tsx';
import { ResultsCard } from '../grants/results-card.tsx';
import { PlanModal } from '../plan/plan-modal.tsx';
import styles from '../schema-access.module.css';
import { useAccessChoices } from '../schema-access-address.ts';
import { useAccessDesk } from '../use-access-desk.ts';
import { type AccessHistoryLoad, useAccessHistory, useTeamNames } from '../use-schema-access.ts';
import { PermissionNote } from './permission-note.tsx';
import { TeamSelect } from './team-select.tsx';

/** Schema access of one app, for the tab of its configuration. */
export function AppSchemaAccess({ app }: { app: App }) {
  const refusal = useRefusal('schema-access.view');
  return refusal === null ? <AccessOfApp app={app} /> : <Empty text={refusal} />;
}

function AccessOfApp({ app }: { app: App }) {
  const refusal = useRefusal('schema-access.grant');
  const [choices, change] = useAccessChoices();
  const teams = useTeamNames();
  const team = teams.data?.find((name) => name === choices.team) ?? null;
  const desk = useAccessDesk();
  const history = useAccessHistory(app.id);
  useProblemPopup('Unable to get the history of access', history);
  return (
    <>
      <div className={styles.columns}>
        <div className={styles.section}>
          <div className="stack">
            <TextInput label="App" value={`${app.name} (${app.schemaName})`} readOnly />
            <TeamSelect load={teams} team={team} onChange={(next) => change({ team: next })} />
          </div>
          <div className="wrap">
            <ActButton
              reason={refusal ?? (team === null ? 'Choose a team first.' : null)}
              hint="Shows first what it would do"
              onClick={() => team !== null && desk.askToGrant(team, { appId: app.id, schemaName: app.schemaName })}
            >
              Grant Access
            </ActButton>
          </div>
        </div>
        <div className={styles.beside}>
          <CurrentAccess load={history} />
          <PermissionNote />
        </div>
      </div>
      {desk.result && <ResultsCard result={desk.result} onDismiss={desk.dismiss} onRevert={desk.askToRevert} />}
      <AccessHistory load={history} appName={app.name} onRevert={desk.askToRevert} />
      <PlanModal {...desk.dialog} />
    </>
  );
}

/** Who has access now, as far as it was granted here. */
function CurrentAccess({ load }: { load: AccessHistoryLoad }) {
  if (load.data === undefined) return load.isError ? null : <Skeleton height={20} width="60%" />;
  const grant = load.data.find(({ state }) => state === 'granted');
  return (
    <p>
      {grant ? (
        <>
          <strong>{grant.team}</strong> has access, granted <When at={grant.grantedAt} /> by {grant.grantedBy}.
        </>
      ) : (
        'No team has been granted access here: the schema belongs to the platform.'
      )}
    </p>
  );
}

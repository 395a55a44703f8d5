import { useRefusal, useSession } from '../../session/use-session.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { useProblemPopup } from '../../ui/use-problem-popup.ts';
import { AccessForm } from './form/access-form.tsx';
import { PermissionNote } from './form/permission-note.tsx';
import { AccessHistory } from './grants/access-history.tsx';
import { PingTable } from './grants/ping-table.tsx';
import { ResultsCard } from './grants/results-card.tsx';
import { PlanModal } from './plan/plan-modal.tsx';
import styles from './schema-access.module.css';
import { useAccessDialogs } from './use-access-dialogs.ts';
import { useAccessHistory } from './use-schema-access.ts';

export function SchemaAccessPage() {
  const { session } = useSession();
  const refusal = useRefusal('schema-access.view');
  return (
    <Page
      crumbs={[{ label: 'Schema Access' }]}
      title="Schema Access"
      lead={`Grant a team access to a schema in ${session.environment.name}, or generate the SQL for it.`}
    >
      {refusal === null ? <AccessTool /> : <Empty text={refusal} />}
    </Page>
  );
}

function AccessTool() {
  const dialogs = useAccessDialogs();
  const history = useAccessHistory(null);
  useProblemPopup('Unable to get the access history', history);
  return (
    <>
      <div className={styles.columns}>
        <AccessForm dialogs={dialogs} />
        <div className={styles.beside}>
          <PermissionNote />
          <PingTable />
        </div>
      </div>
      {dialogs.result && (
        <ResultsCard result={dialogs.result} onDismiss={dialogs.dismiss} onRevert={dialogs.openRevert} />
      )}
      <AccessHistory load={history} appName={null} onRevert={dialogs.openRevert} />
      <PlanModal {...dialogs.dialog} />
    </>
  );
}

import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useCallback, useMemo, useState } from 'react';
import { LogActions } from '../../../logs/view/log-actions.tsx';
import { defaultLogChoices, type LogChoices } from '../../../logs/view/log-choices.ts';
import { LogPanel } from '../../../logs/view/log-panel.tsx';
import { LogStatus, StateChip } from '../../../logs/view/log-status.tsx';
import { LogToolbar } from '../../../logs/view/log-toolbar.tsx';
import { useLogSession } from '../../../logs/view/use-log-session.ts';
import { useSession } from '../../../session/use-session.ts';
import { SyncStatusChip } from '../../../sync/status.tsx';
import { CheckBox } from '../../../ui/check-box.tsx';
import { PlatformText } from '../../../ui/platform-text.tsx';
import { IntegrationModal } from '../details/integration-modal.tsx';
import type { ShownIntegration } from '../list/use-shown-integration.ts';
import styles from './log-modal.module.css';
import { syncLogWire } from './sync-log-wire.ts';

export function LogModal(props: { shown: ShownIntegration; isOpen: boolean; onClose: () => void }) {
  return (
    <IntegrationModal
      {...props}
      title={({ appName }) => (
        <>
          Logs of <PlatformText text={appName} />
        </>
      )}
      size="min(1400px, 96vw)"
    >
      {(integration) => <Log key={integration.id} integration={integration} />}
    </IntegrationModal>
  );
}

function Log({ integration }: { integration: SyncIntegration }) {
  const { id, appName, status } = integration;
  const { name } = useSession().session.environment;
  const wire = useMemo(() => syncLogWire(id, name), [id, name]);
  const { stream, snapshot, setParent } = useLogSession(wire, true);
  const [choices, setChoices] = useState(defaultLogChoices);
  const change = useCallback((part: Partial<LogChoices>) => setChoices((current) => ({ ...current, ...part })), []);
  return (
    <div className="stack">
      <div className={styles.logHead}>
        <SyncStatusChip status={status} />
        <StateChip snapshot={snapshot} />
        <LogActions stream={stream} snapshot={snapshot} />
        <CheckBox
          label="Scroll to bottom"
          checked={snapshot?.isFollowing ?? true}
          onChange={(isChecked) => (isChecked ? stream?.view.follow() : stream?.view.pause())}
        />
        {snapshot && <LogStatus snapshot={snapshot} />}
      </div>
      <LogToolbar stream={stream} snapshot={snapshot} name={`sync-${appName}`} choices={choices} onChange={change} />
      <LogPanel stream={stream} snapshot={snapshot} setParent={setParent} choices={choices} onChange={change} />
    </div>
  );
}

import type { SyncIntegration } from '@portal/contract/sync/integration';
import {
  IconEdit,
  IconFileText,
  IconInfoCircle,
  IconListDetails,
  IconPlayerPlay,
  IconPlayerStop,
  IconStethoscope,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useAppRefusal } from '../../../session/use-subject-refusal.ts';
import styles from '../../../ui/table/row-actions.module.css';
import type { Overlay } from '../sync-address.ts';
import type { Enabling } from './use-enabling.tsx';

const views = [
  { name: 'Info', kind: 'info', Icon: IconInfoCircle },
  { name: 'Objects', kind: 'objects', Icon: IconListDetails },
  { name: 'Records', kind: 'records', Icon: IconStethoscope },
  { name: 'Logs', kind: 'logs', Icon: IconFileText },
] as const;

/** The actions on an integration, as icons with accessible names. */
export function IntegrationActions(props: {
  integration: SyncIntegration;
  enabling: Pick<Enabling, 'askToEnable' | 'askToDisable'>;
  onOpen: (overlay: Overlay) => void;
  onDelete: (integration: SyncIntegration) => void;
}) {
  const { integration, enabling, onOpen, onDelete } = props;
  const refusal = useAppRefusal('sync.change', integration.id);
  return (
    <span className={styles.actions}>
      {views.map(({ name, kind, Icon }) => (
        <button
          key={kind}
          type="button"
          className={styles.action}
          title={name}
          aria-label={`${name} ${integration.appName}`}
          onClick={() => onOpen({ kind, appId: integration.id })}
        >
          <Icon size={17} stroke={1.6} aria-hidden />
        </button>
      ))}
      <Link
        to="/sync/form/{-$appid}"
        params={{ appid: integration.id }}
        className={styles.action}
        title="Edit"
        aria-label={`Edit ${integration.appName}`}
      >
        <IconEdit size={17} stroke={1.6} aria-hidden />
      </Link>
      {integration.status === 'Enabled' ? (
        <ChangeButton
          action="Disable"
          appName={integration.appName}
          Icon={IconPlayerStop}
          refusal={refusal}
          onClick={() => enabling.askToDisable([integration])}
        />
      ) : (
        <ChangeButton
          action="Enable"
          appName={integration.appName}
          Icon={IconPlayerPlay}
          refusal={refusal}
          onClick={() => enabling.askToEnable([integration])}
        />
      )}
      <ChangeButton
        action="Delete"
        appName={integration.appName}
        Icon={IconTrash}
        refusal={refusal}
        onClick={() => onDelete(integration)}
      />
    </span>
  );
}

/** A button for a change, which explains why the user may not make it. */
function ChangeButton(props: {
  action: string;
  appName: string;
  Icon: typeof IconTrash;
  refusal: string | null;
  onClick: () => void;
}) {
  const { action, appName, Icon, refusal, onClick } = props;
  const name = `${action} ${appName}`;
  return (
    <button
      type="button"
      className={styles.action}
      title={refusal === null ? action : undefined}
      aria-label={name}
      data-hint={refusal ?? undefined}
      aria-description={refusal ?? undefined}
      aria-disabled={refusal !== null || undefined}
      onClick={() => refusal === null && onClick()}
    >
      <Icon size={17} stroke={1.6} aria-hidden />
    </button>
  );
}

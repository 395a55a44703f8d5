import type { SyncIntegration } from '@portal/contract/sync-integration';
import {
  IconEdit,
  IconFileText,
  IconInfoCircle,
  IconListDetails,
  IconStethoscope,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useAppRefusal } from '../../../session/use-subject-refusal.ts';
import { ExplainedButton } from '../../../ui/explained-button.tsx';
import styles from '../../../ui/row-actions.module.css';
import type { Overlay } from '../sync-address.ts';

const views = [
  { name: 'Info', kind: 'info', Icon: IconInfoCircle },
  { name: 'Objects', kind: 'objects', Icon: IconListDetails },
  { name: 'Records', kind: 'records', Icon: IconStethoscope },
  { name: 'Logs', kind: 'logs', Icon: IconFileText },
] as const;

/** The actions on an integration, as icons with accessible names. */
export function IntegrationActions(props: {
  integration: SyncIntegration;
  onOpen: (overlay: Overlay) => void;
  onDelete: (integration: SyncIntegration) => void;
}) {
  const { integration, onOpen, onDelete } = props;
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
      {refusal === null ? (
        <button
          type="button"
          className={styles.action}
          title="Delete"
          aria-label={`Delete ${integration.appName}`}
          onClick={() => onDelete(integration)}
        >
          <IconTrash size={17} stroke={1.6} aria-hidden />
        </button>
      ) : (
        <ExplainedButton
          variant="subtle"
          color="gray"
          size="compact-sm"
          px={5}
          aria-label={`Delete ${integration.appName}`}
          reason={refusal}
          onClick={() => onDelete(integration)}
        >
          <IconTrash size={17} stroke={1.6} aria-hidden />
        </ExplainedButton>
      )}
    </span>
  );
}

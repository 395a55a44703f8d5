import type { Change } from '@portal/contract/app-config';
import { IconHistory, IconUsers } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { When } from '../../ui/when.tsx';
import styles from './app-config.module.css';

/** Who changed this app last. When that overtook one's own change, it is said aloud. */
export function LastChange(props: { appId: string; change: Change | null; wasOvertaken: boolean }) {
  const { change } = props;
  const Icon = props.wasOvertaken ? IconUsers : IconHistory;
  return (
    <div className={styles.lastChange} data-overtaken={props.wasOvertaken || undefined}>
      <Icon size={16} stroke={1.6} aria-hidden />
      <div>
        <span role={props.wasOvertaken ? 'alert' : undefined}>
          {change ? (
            <>
              Changed by <strong>{change.username}</strong> <When at={change.at} />: {change.description}
            </>
          ) : (
            'Not changed through the portal yet'
          )}
          .{props.wasOvertaken && ' Your change was not made; what you see now is the current value.'}
        </span>{' '}
        <Link to="/audit" search={{ app: props.appId }}>
          Audit trail of this app
        </Link>
      </div>
    </div>
  );
}

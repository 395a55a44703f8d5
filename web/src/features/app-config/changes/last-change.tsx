import type { Change } from '@portal/contract/app-config';
import { IconHistory, IconUsers } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import styles from '../app-config.module.css';

/** Shows the last change of this app. Announces it if it superseded the user's own change. */
export function LastChange(props: { appId: string; change: Change | null; isSuperseded: boolean }) {
  const { change } = props;
  const Icon = props.isSuperseded ? IconUsers : IconHistory;
  return (
    <div className={styles.lastChange} data-superseded={props.isSuperseded || undefined}>
      <Icon size={16} stroke={1.6} aria-hidden />
      <div>
        <span role={props.isSuperseded ? 'alert' : undefined}>
          {change ? (
            <>
              Changed by <strong>{change.username}</strong> <RelativeTime at={change.at} />: {change.description}
            </>
          ) : (
            'Not changed in the portal yet'
          )}
          .{props.isSuperseded && ' Your change was not saved; this page now shows the current value.'}
        </span>{' '}
        <Link to="/audit" search={{ app: props.appId }}>
          Audit trail of this app
        </Link>
      </div>
    </div>
  );
}

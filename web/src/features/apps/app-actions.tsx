import type { App } from '@portal/contract/apps';
import { IconAdjustmentsHorizontal, IconCalendarTime, IconChartDonut, IconFileText } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import styles from '../../ui/table/row-actions.module.css';

const actions = [
  { name: 'View', to: '/app/{-$appid}', Icon: IconChartDonut },
  { name: 'Config', to: '/config/$appid', Icon: IconAdjustmentsHorizontal },
  { name: 'Logs', to: '/logs/$appid', Icon: IconFileText },
  { name: 'Scheduled Functions', to: '/scheduledfunctions/$appid', Icon: IconCalendarTime },
] as const;

/** Links to the screens of an app, as icons with names. */
export function AppActions({ app }: { app: App }) {
  return (
    <span className={styles.actions}>
      {actions.map(({ name, to, Icon }) => (
        <Link
          key={name}
          to={to}
          params={{ appid: app.id }}
          className={styles.action}
          aria-label={`${name} of ${app.name}`}
          title={name}
        >
          <Icon size={17} stroke={1.6} aria-hidden />
        </Link>
      ))}
    </span>
  );
}

import { canReachDeployments } from '@portal/contract/environments';
import { IconApps, IconCalendarEvent, IconRefreshDot } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../../format/numbers.ts';
import { useSession } from '../../session/use-session.ts';
import styles from './tiles.module.css';

export function Tiles() {
  const { session, apps, appsProblem } = useSession();
  const canDeploy = canReachDeployments(session.environment.name);
  const tiles = [
    {
      title: session.product,
      text:
        appsProblem && apps.length === 0
          ? 'Config, logs, functions, statistics'
          : `${formatCount(apps.length)} apps: config, logs, functions, statistics`,
      to: '/apps',
      Icon: IconApps,
    },
    {
      title: 'HeliumJourney Sync',
      text: 'Integrations that keep Helium and Journey in sync',
      to: '/sync',
      Icon: IconRefreshDot,
    },
    {
      title: 'DevOps Deployments',
      text: canDeploy ? 'Schedule and resolve release deployments' : 'Available in Production only.',
      to: canDeploy ? '/deployments' : null,
      Icon: IconCalendarEvent,
    },
  ];
  return (
    <ul className={styles.tiles}>
      {tiles.map(({ title, text, to, Icon }) => (
        <li key={title} className={styles.tile} data-off={to === null || undefined}>
          <Icon size={22} stroke={1.4} aria-hidden />
          <div>
            {/* The link covers the tile. A disabled tile stays readable and explains why. */}
            {to === null ? <span className={styles.title}>{title}</span> : <Link to={to}>{title}</Link>}
            <p>{text}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

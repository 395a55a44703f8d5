import type { App } from '@portal/contract/apps';
import { IconClock, IconStarFilled } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMyApps } from '../../session/my-apps.ts';
import { useSession } from '../../session/use-session.ts';
import { PlatformText } from '../../ui/platform-text.tsx';
import styles from './app-lists.module.css';
import { FirstItems } from './section/first-items.tsx';
import { Section } from './section/section.tsx';

const screens = [
  { name: 'Config', to: '/config/$appid' },
  { name: 'Logs', to: '/logs/$appid' },
  { name: 'Functions', to: '/scheduledfunctions/$appid' },
] as const;

const maxShown = 5;

interface MyApp {
  readonly app: App;
  readonly Icon: typeof IconClock;
  readonly reason: string;
}

/** Starred apps, followed by recently used ones. */
export function AppLists() {
  const { apps } = useSession();
  const { starred, recent } = useMyApps();
  const appById = new Map(apps.map((app) => [app.id, app]));
  const myApps = [
    ...starred.map((id) => ({ id, Icon: IconStarFilled, reason: 'starred' })),
    ...recent.filter((id) => !starred.includes(id)).map((id) => ({ id, Icon: IconClock, reason: 'recently used' })),
  ];
  const shown = myApps.flatMap((entry) => {
    const app = appById.get(entry.id);
    return app ? [{ ...entry, app }] : [];
  });
  return (
    <Section title="Your apps">
      {shown.length === 0 ? (
        <p className={styles.none}>
          Apps you star or open appear here. <Link to="/apps">Go to the apps list</Link>
        </p>
      ) : (
        <FirstItems items={shown} max={maxShown} count={shown.length} noun="app">
          {(first) => <AppList apps={first} />}
        </FirstItems>
      )}
    </Section>
  );
}

function AppList({ apps }: { apps: readonly MyApp[] }) {
  return (
    <ul className={`entries ${styles.list}`}>
      {apps.map(({ app, Icon, reason }) => (
        <li key={app.id}>
          <Icon size={14} stroke={1.6} role="img" aria-label={reason} data-why={reason} />
          <Link to="/app/{-$appid}" params={{ appid: app.id }} className="text-link">
            <PlatformText text={app.name} />
          </Link>
          <span className={styles.screens}>
            {screens.map(({ name, to }) => (
              <Link key={name} to={to} params={{ appid: app.id }} aria-label={`${name} of ${app.name}`}>
                {name}
              </Link>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

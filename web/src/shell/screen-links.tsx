import { IconExternalLink } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useSession } from '../session/use-session.ts';
import styles from './panel.module.css';
import { getScreens } from './screens.ts';

/** Links to the screens and to other systems. The slide-out panel and the sidebar share them. */
export function ScreenLinks({ onFollow }: { onFollow?: () => void }) {
  const { session } = useSession();
  return (
    <>
      <nav aria-label="Screens" className={styles.list}>
        {getScreens(session.environment.name).map(({ label, to, icon: Icon }) => (
          <Link
            key={label}
            to={to}
            className={styles.entry}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            onClick={onFollow}
            title={label}
          >
            <Icon size={17} stroke={1.6} aria-hidden />
            <span>{label}</span>
          </Link>
        ))}
      </nav>
      {session.links.length > 0 && (
        <nav aria-label="External links" className={styles.list}>
          {session.links.map(({ label, url }) => (
            <a key={label} href={url} target="_blank" rel="noopener noreferrer" className={styles.entry}>
              <IconExternalLink size={17} stroke={1.6} aria-hidden />
              <span>{label}</span>
              <span className="visually-hidden"> (opens in a new tab)</span>
            </a>
          ))}
        </nav>
      )}
    </>
  );
}

import { Drawer } from '@mantine/core';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Drawer.layer.css';
import { IconCommand, IconExternalLink, IconKeyboard } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useSession } from '../session/use-session.ts';
import type { Overlay } from './overlay.ts';
import styles from './panel.module.css';
import { SchemeChoice } from './scheme-choice.tsx';
import { getScreens } from './screens.ts';

/** A quarter of the window, but at least a readable width and at most the whole window. */
const width = 'max(25%, min(288px, 100vw))';

export default function Panel({ onClose, onOpen }: { onClose: () => void; onOpen: (overlay: Overlay) => void }) {
  const { session } = useSession();
  return (
    <Drawer
      opened
      onClose={onClose}
      title="Menu"
      size={width}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': 'Close menu' }}
    >
      <nav aria-label="Screens" className={styles.list}>
        {getScreens(session.environment.name).map(({ label, to, icon: Icon }) => (
          <Link
            key={label}
            to={to}
            className={styles.entry}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            onClick={onClose}
          >
            <Icon size={17} stroke={1.6} aria-hidden />
            {label}
          </Link>
        ))}
      </nav>
      {session.links.length > 0 && (
        <nav aria-label="External links" className={styles.list}>
          {session.links.map(({ label, url }) => (
            <a key={label} href={url} target="_blank" rel="noopener noreferrer" className={styles.entry}>
              <IconExternalLink size={17} stroke={1.6} aria-hidden />
              {label}
              <span className="visually-hidden"> (opens in a new tab)</span>
            </a>
          ))}
        </nav>
      )}
      <div className={styles.list}>
        <button type="button" className={styles.entry} onClick={() => onOpen('palette')}>
          <IconCommand size={17} stroke={1.6} aria-hidden />
          Find apps and screens
        </button>
        <button type="button" className={styles.entry} onClick={() => onOpen('keys')}>
          <IconKeyboard size={17} stroke={1.6} aria-hidden />
          Keyboard shortcuts
        </button>
      </div>
      <SchemeChoice />
    </Drawer>
  );
}

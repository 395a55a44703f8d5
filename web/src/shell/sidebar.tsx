import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '@tabler/icons-react';
import { useState } from 'react';
import { browserStorage } from '../state/browser-storage.ts';
import { useViewportWidth } from '../state/use-viewport-width.ts';
import panel from './panel.module.css';
import { ScreenLinks } from './screen-links.tsx';
import styles from './sidebar.module.css';

const storageKey = 'sidebar';

/** Narrower windows show the icons until the user opens it: their tables need the width. */
const openWidthPx = 1440;

/**
 * The entries of the panel beside the page, in wide windows only. Collapsed, it shows their icons.
 * Unavailable while the panel shows the same entries.
 */
export function Sidebar({ isUnavailable }: { isUnavailable: boolean }) {
  const width = useViewportWidth();
  const [choice, setChoice] = useState(() => browserStorage.get(storageKey));
  const isCollapsed = choice === 'collapsed' || (choice !== 'open' && width < openWidthPx);
  const toggle = () => {
    const next = isCollapsed ? 'open' : 'collapsed';
    browserStorage.set(storageKey, next);
    setChoice(next);
  };
  const Icon = isCollapsed ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  const label = isCollapsed ? 'Expand sidebar' : 'Collapse sidebar';
  return (
    <div className={styles.sidebar} data-collapsed={isCollapsed || undefined} inert={isUnavailable}>
      <div className={styles.content}>
        <ScreenLinks />
        <button type="button" className={panel.entry} aria-expanded={!isCollapsed} title={label} onClick={toggle}>
          <Icon size={17} stroke={1.6} aria-hidden />
          <span>{label}</span>
        </button>
      </div>
    </div>
  );
}

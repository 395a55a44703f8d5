import { Drawer } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Drawer.layer.css';
import { IconCommand, IconKeyboard } from '@tabler/icons-react';
import type { Overlay } from './overlay.ts';
import styles from './panel.module.css';
import { SchemeChoice } from './scheme-choice.tsx';
import { ScreenLinks } from './screen-links.tsx';

/** A quarter of the window, but at least a readable width and at most the whole window. */
const width = 'max(25%, min(288px, 100vw))';

export default function Panel({ onClose, onOpen }: { onClose: () => void; onOpen: (overlay: Overlay) => void }) {
  return (
    <Drawer
      opened
      onClose={onClose}
      title="Menu"
      size={width}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': 'Close menu' }}
    >
      <ScreenLinks onFollow={onClose} />
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

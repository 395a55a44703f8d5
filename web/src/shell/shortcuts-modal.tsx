import { Modal } from '@mantine/core';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import styles from './shortcuts-modal.module.css';

const shortcuts: readonly (readonly [keys: string, description: string])[] = [
  ['Ctrl K or ⌘ K', 'Find apps and screens'],
  ['/', 'Search the table on the screen'],
  ['?', 'Show keyboard shortcuts'],
  ['Esc', 'Close the open dialog or panel, clear a search'],
  ['↑ ↓ Home End', 'Move through table rows or list options'],
  ['Enter', 'Open the row or option, submit a form'],
];

export default function ShortcutsModal({ onClose }: { onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title="Keyboard shortcuts"
      centered
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      <dl className={styles.keys}>
        {shortcuts.map(([key, description]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}

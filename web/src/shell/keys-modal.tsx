import { Modal } from '@mantine/core';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import styles from './keys-modal.module.css';

const keys: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K or ⌘ K', 'Find apps and screens'],
  ['/', 'Search in the table of the screen'],
  ['?', 'Show these keys'],
  ['Esc', 'Close what lies over the screen, clear a search'],
  ['↑ ↓ Home End', 'Walk the rows of a table, the choices of a list'],
  ['Enter', 'Open the row or choice, submit a form'],
];

export default function KeysModal({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keys" centered closeButtonProps={{ 'aria-label': 'Close dialog' }}>
      <dl className={styles.keys}>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}

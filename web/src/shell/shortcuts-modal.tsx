import { Modal, Switch } from '@mantine/core';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import '@mantine/core/styles/Switch.layer.css';
import { useRouterState } from '@tanstack/react-router';
import { useSession } from '../session/use-session.ts';
import { singleKeys } from '../state/single-keys.ts';
import { useStore } from '../state/store.ts';
import { getScreenKeys } from './screen-keys.ts';
import { getScreens } from './screens.ts';
import styles from './shortcuts-modal.module.css';

type Shortcut = readonly [keys: string, description: string];

const alwaysKeys: readonly Shortcut[] = [
  ['Ctrl K or ⌘ K', 'Find apps, screens and actions'],
  ['Esc', 'Close the open dialog or panel, clear a search'],
  ['↑ ↓ Home End', 'Move through table rows or list options'],
  ['Enter', 'Open the row or option, submit a form'],
];

const logKeys: readonly Shortcut[] = [
  ['Space', 'Pause the log, or follow it'],
  ['End', 'Follow the newest lines'],
  ['Home', 'Go to the oldest line'],
  ['n N', 'Next or previous match'],
  ['w', 'Wrap long lines'],
  ['c', 'Clear the log'],
];

/**
 * The keys of every screen and of the current one, with a switch for those that are single keys.
 */
export default function ShortcutsModal({ onClose }: { onClose: () => void }) {
  const { session } = useSession();
  const isOnLog = useRouterState({ select: ({ location }) => location.pathname.startsWith('/logs/') });
  const isOn = useStore(singleKeys);
  const screenKeys = getScreenKeys(getScreens(session.environment.name)).map(
    ({ letter, screen }): Shortcut => [`g ${letter}`, `Go to ${screen.label}`],
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title="Keyboard shortcuts"
      centered
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      <div className="stack-l">
        <Keys shortcuts={alwaysKeys} />
        <Switch
          label="Single keys"
          description="The keys below act while the focus is in no field. Turn them off if you press them by accident."
          checked={isOn}
          onChange={(event) => singleKeys.set(event.currentTarget.checked)}
        />
        {isOn && (
          <Keys
            shortcuts={[
              ['/', 'Search the table on the screen'],
              ['?', 'Show keyboard shortcuts'],
              ...(isOnLog ? logKeys : []),
              ...screenKeys,
            ]}
          />
        )}
      </div>
    </Modal>
  );
}

function Keys({ shortcuts }: { shortcuts: readonly Shortcut[] }) {
  return (
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
  );
}

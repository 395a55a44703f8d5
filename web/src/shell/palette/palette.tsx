import { Modal, useMantineColorScheme } from '@mantine/core';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { IconApps, IconArrowRight, IconBolt, IconCornerDownRight } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { countOf } from '../../lib/format.ts';
import { useMyApps } from '../../session/my-apps.ts';
import { useSession } from '../../session/use-session.ts';
import type { Overlay } from '../overlay.ts';
import { screensOf } from '../screens.ts';
import { type Command, findCommands } from './commands.ts';
import styles from './palette.module.css';
import { useOtherCommands } from './use-other-commands.ts';

const icons = { screen: IconArrowRight, app: IconApps, act: IconBolt, other: IconCornerDownRight } as const;

/**
 * Finds apps, screens, deployments, support teams and integrations by a few letters; arrows choose,
 * Enter goes.
 */
export default function Palette({ onClose, onOpen }: { onClose: () => void; onOpen: (overlay: Overlay) => void }) {
  const { session, apps } = useSession();
  const { starred, recent } = useMyApps();
  const navigate = useNavigate();
  const run = useActs(onOpen);
  const listId = useId();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);

  const offered = useMemo<readonly Command[]>(
    () => [
      ...screensOf(session.environment.name).map(
        ({ label, to, words = '' }): Command => ({ id: to, label, to, words, detail: 'Screen', kind: 'screen' }),
      ),
      ...acts,
    ],
    [session.environment.name],
  );
  const others = useOtherCommands(search.trim() !== '');
  const commands = useMemo(
    () => findCommands(search, apps, offered, [...new Set([...starred, ...recent])], others),
    [search, apps, offered, starred, recent, others],
  );

  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  const go = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    if (command.kind === 'act') run(command.to);
    else void navigate({ to: command.to, search: { ...command.search } });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const last = commands.length - 1;
    const goals: Record<string, number> = {
      ArrowDown: chosen === last ? 0 : chosen + 1,
      ArrowUp: chosen === 0 ? last : chosen - 1,
      PageDown: Math.min(last, chosen + 8),
      PageUp: Math.max(0, chosen - 8),
    };
    const goal = goals[event.key];
    if (event.key === 'Enter') go(commands[chosen]);
    else if (goal !== undefined) setChosen(goal);
    else return;
    event.preventDefault();
  };

  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={600}
      yOffset="12vh"
      attributes={{ content: { 'aria-label': 'Find apps and screens' } }}
      transitionProps={{ duration: 0 }}
    >
      <input
        className={styles.input}
        data-autofocus
        role="combobox"
        aria-label="Find apps and screens"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={commands[chosen] ? `${listId}-${chosen}` : undefined}
        aria-autocomplete="list"
        placeholder="App name, id, fqdn, schema name, or a screen; “logs” and a name for its logs"
        autoComplete="off"
        spellCheck={false}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={listId} role="listbox" aria-label="Found" className={styles.list}>
        {commands.map((command, index) => {
          const Icon = icons[command.kind];
          return (
            // Keys are handled by the input, which keeps the focus.
            <div
              key={command.id}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              className={styles.option}
              onPointerMove={() => setChosen(index)}
              onClick={() => go(command)}
              onKeyDown={onKeyDown}
            >
              <Icon size={15} stroke={1.6} aria-hidden />
              <span className="clip">{command.label}</span>
              <span className={styles.detail}>{command.detail}</span>
            </div>
          );
        })}
      </div>
      <p role="status" className={styles.count}>
        {commands.length === 0 ? 'Nothing matches.' : countOf(commands.length, 'choice')}
      </p>
    </Modal>
  );
}

const acts: readonly Command[] = [
  { id: 'sign-out', label: 'Sign out', to: 'sign-out', detail: 'Action', kind: 'act', words: 'leave log out' },
  { id: 'keys', label: 'Show the keys', to: 'keys', detail: 'Action', kind: 'act', words: 'keyboard shortcuts help' },
  { id: 'light', label: 'Light colours', to: 'light', detail: 'Action', kind: 'act', words: 'theme' },
  { id: 'dark', label: 'Dark colours', to: 'dark', detail: 'Action', kind: 'act', words: 'theme' },
  { id: 'auto', label: 'Colours as the system', to: 'auto', detail: 'Action', kind: 'act', words: 'theme' },
];

function useActs(onOpen: (overlay: Overlay) => void): (act: string) => void {
  const { setColorScheme } = useMantineColorScheme();
  return (act) => {
    if (act === 'sign-out' || act === 'keys') onOpen(act);
    if (act === 'light' || act === 'dark' || act === 'auto') setColorScheme(act);
  };
}

import { Modal, useMantineColorScheme } from '@mantine/core';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { IconApps, IconArrowRight, IconBolt, IconCornerDownRight } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { formatPlural } from '../../lib/format.ts';
import { useMyApps } from '../../session/my-apps.ts';
import { useSession } from '../../session/use-session.ts';
import type { Overlay } from '../overlay.ts';
import { getScreens } from '../screens.ts';
import { type Command, type FoundCommands, findCommands } from './commands.ts';
import styles from './palette.module.css';
import { useOtherCommands } from './use-other-commands.ts';

const icons = { screen: IconArrowRight, app: IconApps, action: IconBolt, other: IconCornerDownRight } as const;

/**
 * The command palette: finds apps, screens, deployments, support teams and integrations by a few
 * letters.
 */
export default function Palette({ onClose, onOpen }: { onClose: () => void; onOpen: (overlay: Overlay) => void }) {
  const { session, apps } = useSession();
  const { starred, recent } = useMyApps();
  const navigate = useNavigate();
  const run = useRunAction(onOpen);
  const listId = useId();
  const [search, setSearch] = useState('');
  const [activeIndex, setActiveIndex] = useState(0);
  const list = useRef<HTMLDivElement>(null);

  const baseCommands = useMemo<readonly Command[]>(
    () => [
      ...getScreens(session.environment.name).map(
        ({ label, to, keywords = '' }): Command => ({ id: to, label, to, keywords, detail: 'Screen', kind: 'screen' }),
      ),
      ...actionCommands,
    ],
    [session.environment.name],
  );
  const others = useOtherCommands(search.trim() !== '');
  const found = useMemo(
    () => findCommands(search, apps, baseCommands, [...new Set([...starred, ...recent])], others),
    [search, apps, baseCommands, starred, recent, others],
  );

  const { commands } = found;

  useEffect(() => {
    list.current?.children[activeIndex]?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex]);

  const go = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    if (command.kind === 'action') run(command.to);
    else void navigate({ to: command.to, search: { ...command.search } });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const last = commands.length - 1;
    const targets: Record<string, number> = {
      ArrowDown: activeIndex === last ? 0 : activeIndex + 1,
      ArrowUp: activeIndex === 0 ? last : activeIndex - 1,
      PageDown: Math.min(last, activeIndex + 8),
      PageUp: Math.max(0, activeIndex - 8),
    };
    const target = targets[event.key];
    if (event.key === 'Enter') go(commands[activeIndex]);
    else if (target !== undefined) setActiveIndex(target);
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
        aria-activedescendant={commands[activeIndex] ? `${listId}-${activeIndex}` : undefined}
        aria-autocomplete="list"
        placeholder="App name, id, fqdn, schema name or screen; “logs” plus a name opens its logs"
        autoComplete="off"
        spellCheck={false}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setActiveIndex(0);
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
              aria-selected={index === activeIndex}
              className={styles.option}
              onPointerMove={() => setActiveIndex(index)}
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
        {describeFound(found)}
      </p>
    </Modal>
  );
}

/** Describes what is listed and what is not: "24 choices · 29 more apps match: go on typing". */
function describeFound({ commands, moreApps, moreOthers }: FoundCommands): string {
  if (commands.length === 0) return 'No matches';
  const choices = formatPlural(commands.length, 'choice');
  const more = [
    moreApps > 0 && formatPlural(moreApps, 'more app'),
    moreOthers > 0 && formatPlural(moreOthers, 'more result'),
  ].filter((text) => text !== false);
  if (more.length === 0) return choices;
  return `${choices} · ${more.join(' and ')} ${moreApps + moreOthers === 1 ? 'matches' : 'match'}: go on typing`;
}

const actionCommands: readonly Command[] = [
  { id: 'sign-out', label: 'Sign out', to: 'sign-out', detail: 'Action', kind: 'action', keywords: 'leave log out' },
  { id: 'keys', label: 'Show keyboard shortcuts', to: 'keys', detail: 'Action', kind: 'action', keywords: 'keys help' },
  { id: 'light', label: 'Use light colors', to: 'light', detail: 'Action', kind: 'action', keywords: 'theme' },
  { id: 'dark', label: 'Use dark colors', to: 'dark', detail: 'Action', kind: 'action', keywords: 'theme' },
  { id: 'auto', label: 'Use system colors', to: 'auto', detail: 'Action', kind: 'action', keywords: 'theme' },
];

function useRunAction(onOpen: (overlay: Overlay) => void): (action: string) => void {
  const { setColorScheme } = useMantineColorScheme();
  return (action) => {
    if (action === 'sign-out' || action === 'keys') onOpen(action);
    if (action === 'light' || action === 'dark' || action === 'auto') setColorScheme(action);
  };
}

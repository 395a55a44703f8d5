import { Modal, useMantineColorScheme } from '@mantine/core';
import { PlatformText } from '../../ui/platform-text.tsx';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { IconApps, IconArrowRight, IconBolt, IconCornerDownRight, IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { formatPlural } from '../../format/numbers.ts';
import { useMyApps } from '../../session/my-apps.ts';
import { useSession } from '../../session/use-session.ts';
import { useAppRefusal } from '../../session/use-subject-refusal.ts';
import { useStore } from '../../state/store.ts';
import { toggleExactTimes } from '../../ui/exact-times.ts';
import type { Overlay } from '../overlay.ts';
import { getScreens } from '../screens.ts';
import { type Command, type FoundCommands, findCommands } from './commands.ts';
import { findPageActions } from './page-actions.ts';
import styles from './palette.module.css';
import { paletteSearch } from './palette-search.ts';
import { useOtherCommands } from './use-other-commands.ts';

const icons = {
  screen: IconArrowRight,
  app: IconApps,
  action: IconBolt,
  other: IconCornerDownRight,
  search: IconSearch,
} as const;

/**
 * The command palette: finds apps, screens, deployments, support teams, people on call,
 * integrations and records by a few letters, and runs actions.
 */
export default function Palette({ onClose, onOpen }: { onClose: () => void; onOpen: (overlay: Overlay) => void }) {
  const { session, apps } = useSession();
  const { starred, recent } = useMyApps();
  const navigate = useNavigate();
  const listId = useId();
  const search = useStore(paletteSearch);
  const shellActions = useShellActions(onOpen);
  // Found once, while the page below is as the user sees it.
  const [pageActions] = useState(findPageActions);
  const [activeIndex, setActiveIndex] = useState(0);
  const list = useRef<HTMLDivElement>(null);

  const baseCommands = useMemo<readonly Command[]>(
    () => [
      ...getScreens(session.environment.name).map(
        ({ label, to, keywords = '' }): Command => ({ id: to, label, to, keywords, detail: 'Screen', kind: 'screen' }),
      ),
      ...pageActions,
      ...shellActions,
    ],
    [session.environment.name, pageActions, shellActions],
  );
  const others = useOtherCommands(search);
  const found = useMemo(
    () => findCommands(search, apps, baseCommands, [...new Set([...starred, ...recent])], others),
    [search, apps, baseCommands, starred, recent, others],
  );

  const { commands } = found;
  const activeRefusal = useCommandRefusal(commands[activeIndex]);

  useEffect(() => {
    list.current?.children[activeIndex]?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex]);

  const go = (command: Command | undefined) => {
    if (!command || (command === commands[activeIndex] && activeRefusal !== null)) return;
    onClose();
    if (command.kind === 'action') command.run();
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
        data-palette-field
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
          paletteSearch.set(event.currentTarget.value);
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
              aria-disabled={(index === activeIndex && activeRefusal !== null) || undefined}
              className={styles.option}
              onPointerMove={() => setActiveIndex(index)}
              onClick={() => go(command)}
              onKeyDown={onKeyDown}
            >
              <Icon size={15} stroke={1.6} aria-hidden />
              <span className="clip">
                <PlatformText text={command.label} />
              </span>
              <span className={styles.detail}>{command.detail}</span>
            </div>
          );
        })}
      </div>
      <p role="status" className={styles.count}>
        {activeRefusal ?? describeFound(found)}
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

/** Returns why the screen of the command would refuse it; null if it would not, or is not known. */
function useCommandRefusal(command: Command | undefined): string | null {
  const appId = command?.kind === 'app' ? command.changedAppId : undefined;
  const refusal = useAppRefusal('config.change', ...(appId === undefined ? [] : [appId]));
  return appId === undefined ? null : refusal;
}

/** The actions that are available on every page. */
function useShellActions(onOpen: (overlay: Overlay) => void): readonly Command[] {
  const { setColorScheme } = useMantineColorScheme();
  return useMemo(() => {
    const action = (id: string, label: string, keywords: string, run: () => void): Command => ({
      id,
      label,
      keywords,
      run,
      detail: 'Action',
      kind: 'action',
    });
    return [
      action('sign-out', 'Sign out', 'leave log out', () => onOpen('sign-out')),
      action('keys', 'Show keyboard shortcuts', 'keys help', () => onOpen('keys')),
      action('exact-times', 'Show exact or relative times', 'clock local utc ago', toggleExactTimes),
      action('light', 'Use light colors', 'theme', () => setColorScheme('light')),
      action('dark', 'Use dark colors', 'theme', () => setColorScheme('dark')),
      action('auto', 'Use system colors', 'theme', () => setColorScheme('auto')),
    ];
  }, [onOpen, setColorScheme]);
}

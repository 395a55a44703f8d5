import { ActionIcon, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconFilter, IconLetterCase, IconRegex, IconSearch } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { formatCount } from '../../format/numbers.ts';
import { usePaused } from '../../state/use-paused.ts';
import type { LogChoices } from './log-choices.ts';
import type { StreamSnapshot } from './log-session.ts';
import styles from './log-toolbar.module.css';

/**
 * Searches the log. Ctrl+F comes here, because the browser's own search sees only the drawn lines.
 */
export function LogSearchField(props: {
  choices: LogChoices;
  snapshot: StreamSnapshot | null;
  onChange: (change: Partial<LogChoices>) => void;
  onJump: (direction: 'next' | 'previous') => void;
  /** The controls after the field. */
  children?: ReactNode;
}) {
  const { choices, snapshot, onChange, onJump } = props;
  const input = useRef<HTMLInputElement>(null);
  useFindKey(input);
  const error = snapshot?.searchError ?? null;
  const result = error ?? describeMatches(choices, snapshot);
  const announced = usePaused(result, '');
  return (
    <search className={styles.searchArea}>
      <TextInput
        ref={input}
        className={styles.search}
        type="search"
        aria-label="Search the log"
        aria-describedby="log-search-result"
        placeholder={choices.isRegExp ? 'Regular expression' : 'Search'}
        spellCheck={false}
        autoComplete="off"
        value={choices.find}
        error={error !== null}
        onChange={(event) => onChange({ find: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault();
            onJump(event.shiftKey ? 'previous' : 'next');
          } else if (event.key === 'Escape' && choices.find !== '') {
            event.stopPropagation();
            onChange({ find: '' });
          }
        }}
        leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
      />
      {props.children}
      {/* Announced after a pause: it changes all the time while someone is typing or lines arrive. */}
      <output
        id="log-search-result"
        aria-label="Search result"
        aria-live="off"
        className={styles.result}
        data-error={error !== null}
      >
        {result}
      </output>
      <span className="visually-hidden" aria-live="polite">
        {announced}
      </span>
    </search>
  );
}

/** How the search works: regular expressions, case, and whether other lines are hidden. */
export function LogSearchSwitches(props: { choices: LogChoices; onChange: (change: Partial<LogChoices>) => void }) {
  const { choices, onChange } = props;
  return (
    <>
      <SearchSwitch
        label="Regular expression"
        icon={<IconRegex size={16} stroke={1.7} aria-hidden />}
        isActive={choices.isRegExp}
        onChange={(isRegExp) => onChange({ isRegExp })}
      />
      <SearchSwitch
        label="Match case"
        icon={<IconLetterCase size={16} stroke={1.7} aria-hidden />}
        isActive={choices.matchCase}
        onChange={(matchCase) => onChange({ matchCase })}
      />
      <SearchSwitch
        label="Show matches only"
        icon={<IconFilter size={16} stroke={1.7} aria-hidden />}
        isActive={choices.mode === 'filter'}
        onChange={(isActive) => onChange({ mode: isActive ? 'filter' : 'highlight' })}
      />
    </>
  );
}

export function LogSearchJumps(props: {
  snapshot: StreamSnapshot | null;
  onJump: (direction: 'next' | 'previous') => void;
}) {
  const { snapshot, onJump } = props;
  const hasMatches = (snapshot?.matches ?? 0) > 0;
  return (
    <>
      <JumpButton label="Previous match" hint="N" disabled={!hasMatches} onClick={() => onJump('previous')}>
        <IconChevronUp size={16} stroke={1.7} aria-hidden />
      </JumpButton>
      <JumpButton label="Next match" hint="n" disabled={!hasMatches} onClick={() => onJump('next')}>
        <IconChevronDown size={16} stroke={1.7} aria-hidden />
      </JumpButton>
    </>
  );
}

/** Moves the focus to the field on Ctrl+F. In the field, the browser's own search opens. */
function useFindKey(input: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isFind = event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey);
      if (!isFind || event.altKey || event.shiftKey || document.activeElement === input.current) return;
      const dialog = document.activeElement?.closest('[role="dialog"]');
      if (dialog && !dialog.contains(input.current)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [input]);
}

function describeMatches(choices: LogChoices, snapshot: StreamSnapshot | null): string {
  if (choices.find === '' || snapshot === null) return '';
  if (snapshot.isSearching) return 'Searching';
  if (snapshot.matches === 0) return 'No matches';
  const count = `${formatCount(snapshot.matches)} ${snapshot.matches === 1 ? 'match' : 'matches'}`;
  return snapshot.matchRank === null ? count : `${formatCount(snapshot.matchRank)} of ${count}`;
}

function SearchSwitch(props: {
  label: string;
  icon: ReactNode;
  isActive: boolean;
  onChange: (isActive: boolean) => void;
}) {
  return (
    <ActionIcon
      variant="default"
      size={32}
      className={styles.switch}
      aria-pressed={props.isActive}
      aria-label={props.label}
      title={props.label}
      onClick={() => props.onChange(!props.isActive)}
    >
      {props.icon}
    </ActionIcon>
  );
}

function JumpButton(props: {
  label: string;
  hint: string;
  disabled: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <ActionIcon
      variant="default"
      size={32}
      aria-label={props.label}
      aria-keyshortcuts={props.hint}
      title={`${props.label} (${props.hint})`}
      disabled={props.disabled}
      onClick={props.onClick}
    >
      {props.children}
    </ActionIcon>
  );
}

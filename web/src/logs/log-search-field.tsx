import { ActionIcon, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconFilter, IconLetterCase, IconRegex, IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatCount } from '../lib/format.ts';
import type { LogChoices } from './log-choices.ts';
import type { StreamSnapshot } from './log-stream.ts';
import styles from './log-toolbar.module.css';

/**
 * Searches by text or regular expression, highlights or filters matches, and moves between them.
 */
export function LogSearchField(props: {
  choices: LogChoices;
  snapshot: StreamSnapshot | null;
  onChange: (change: Partial<LogChoices>) => void;
  onJump: (direction: 'next' | 'previous') => void;
}) {
  const { choices, snapshot, onChange, onJump } = props;
  const error = snapshot?.searchError ?? null;
  const hasMatches = (snapshot?.matches ?? 0) > 0;
  return (
    <search className={styles.searchArea}>
      <TextInput
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
      <div className={styles.jumps}>
        <JumpButton label="Previous match" hint="N" disabled={!hasMatches} onClick={() => onJump('previous')}>
          <IconChevronUp size={16} stroke={1.7} aria-hidden />
        </JumpButton>
        <JumpButton label="Next match" hint="n" disabled={!hasMatches} onClick={() => onJump('next')}>
          <IconChevronDown size={16} stroke={1.7} aria-hidden />
        </JumpButton>
        <output id="log-search-result" aria-label="Search result" className={styles.result} data-error={error !== null}>
          {error ?? describeMatches(choices, snapshot)}
        </output>
      </div>
    </search>
  );
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

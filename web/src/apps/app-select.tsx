import { Combobox, InputBase, useCombobox } from '@mantine/core';
import { PlatformText } from '../ui/platform-text.tsx';
import '@mantine/core/styles/Combobox.layer.css';
import type { App } from '@portal/contract/apps';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { formatCount } from '../format/numbers.ts';
import styles from './app-select.module.css';
import { findApps } from './find-apps.ts';

const collator = new Intl.Collator(undefined, { numeric: true });

/**
 * Selects an app. The search finds its words in any order in the name, schema, fqdn and id. When
 * more apps match than are listed, the last line says how many.
 */
export function AppSelect(props: {
  label: string;
  apps: readonly App[];
  app: App | null;
  placeholder: string;
  description?: ReactNode;
  /** Whether no app can be selected yet, such as while they are loading. */
  disabled?: boolean;
  /** The title of the button that clears the selection; without it, there is none. */
  clearLabel?: string;
  /** The text of an app in the list; defaults to its name. */
  getText?: (app: App) => string;
  /** The text of the selected app in the field; defaults to that in the list. */
  getFieldText?: (app: App) => string;
  /** What the list shows beside the text; defaults to the schema. */
  getDetail?: (app: App) => string;
  onChange: (app: App | null) => void;
}) {
  const { label, apps, app, clearLabel, getText = getName, getDetail = getSchema, onChange } = props;
  const { getFieldText = getText } = props;
  const id = useId();
  const combobox = useCombobox();
  const isOpen = combobox.dropdownOpened;
  /** null until the user types */
  const [search, setSearch] = useState<string | null>(null);
  /** The option that Enter selects; null until the user types or presses an arrow key. */
  const [activeIndex, setActiveIndex] = useState<number | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const sorted = useMemo(() => apps.toSorted((a, b) => collator.compare(getText(a), getText(b))), [apps, getText]);
  const { best, moreCount } = useMemo(() => findApps(sorted, search ?? ''), [sorted, search]);
  const active = activeIndex === null ? undefined : best[activeIndex];
  const isClearable = clearLabel !== undefined && app !== null;

  useEffect(() => {
    if (activeIndex !== null) list.current?.children[activeIndex]?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex]);

  const close = () => {
    combobox.closeDropdown();
    setSearch(null);
    setActiveIndex(null);
  };
  const select = (next: App | null) => {
    if (next?.id !== app?.id) onChange(next);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && isOpen) close();
    else if (event.key === 'Enter' && isOpen && active) select(active);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      combobox.openDropdown();
      setActiveIndex(moveIndex(activeIndex, event.key === 'ArrowDown' ? 1 : -1, best.length));
    } else return;
    event.preventDefault();
  };

  return (
    // Within its landmark, where screen readers find it.
    <Combobox
      store={combobox}
      withinPortal={false}
      onOptionSubmit={(appId) => select(best.find((one) => one.id === appId) ?? app)}
    >
      {/* Mantine's attributes and keys refer to options that a search has removed. */}
      <Combobox.Target withAriaAttributes={false} withKeyboardNavigation={false}>
        <InputBase
          id={id}
          role="combobox"
          aria-haspopup="listbox"
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `${id}-list` : undefined}
          aria-activedescendant={isOpen && active ? `${id}-${activeIndex}` : undefined}
          // Escape closes only the list, and not the dialog around it.
          data-mantine-stop-propagation={isOpen || undefined}
          label={label}
          labelProps={{ id: `${id}-label` }}
          placeholder={props.placeholder}
          description={props.description}
          disabled={props.disabled ?? false}
          autoComplete="off"
          spellCheck={false}
          value={search ?? (app === null ? '' : getFieldText(app))}
          onChange={({ currentTarget: { value } }) => {
            setSearch(value);
            setActiveIndex(value.trim() === '' ? null : 0);
            combobox.openDropdown();
          }}
          onKeyDown={onKeyDown}
          onFocus={() => combobox.openDropdown()}
          onClick={() => combobox.openDropdown()}
          // The keyboard's way to clear: Mantine's button is for the mouse only.
          onBlur={() => (isClearable && search === '' ? select(null) : close())}
          rightSection={
            isClearable ? (
              <Combobox.ClearButton title={clearLabel} onClear={() => select(null)} />
            ) : (
              <Combobox.Chevron />
            )
          }
          rightSectionPointerEvents={isClearable ? 'all' : 'none'}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={props.disabled ?? false}>
        <Combobox.Options ref={list} id={`${id}-list`} labelledBy={`${id}-label`} className={styles.list}>
          {best.map((one, index) => (
            <Combobox.Option
              key={one.id}
              id={`${id}-${index}`}
              value={one.id}
              className={styles.option}
              selected={index === activeIndex}
              active={one.id === app?.id}
              aria-selected={one.id === app?.id}
            >
              <span>
                <PlatformText text={getText(one)} />
              </span>
              <span className={styles.detail}>
                <PlatformText text={getDetail(one)} />
              </span>
            </Combobox.Option>
          ))}
        </Combobox.Options>
        {/* Below the list and not in it, because it cannot be selected. */}
        <div role="status" className={styles.more} onMouseDown={(event) => event.preventDefault()}>
          {best.length === 0 && 'No such app'}
          {moreCount > 0 && `${formatCount(moreCount)} more: go on typing`}
        </div>
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** Returns the next index in that direction, around the ends; null when there is none. */
function moveIndex(index: number | null, step: 1 | -1, count: number): number | null {
  if (count === 0) return null;
  if (index === null) return step === 1 ? 0 : count - 1;
  return (index + step + count) % count;
}

function getName({ name }: App): string {
  return name;
}

function getSchema({ schemaName }: App): string {
  return schemaName;
}

import { type KeyboardEvent, type RefObject, useId, useState } from 'react';
import styles from './environment-choice.module.css';

export interface EnvironmentChoiceProps {
  readonly id: string;
  readonly environments: readonly { readonly name: string; readonly baseUrl: string }[];
  readonly chosen: { readonly name: string; readonly baseUrl: string } | null;
  readonly onChoose: (baseUrl: string) => void;
  readonly disabled: boolean;
  readonly isInvalid: boolean;
  readonly inputRef: RefObject<HTMLInputElement | null>;
}

/**
 * A custom select, because the component library is not loaded on the sign-in page. Uses the keys
 * of a native one.
 */
export function EnvironmentChoice(props: EnvironmentChoiceProps) {
  const { id, environments, chosen, onChoose, disabled, isInvalid, inputRef: input } = props;
  const listId = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(0);

  const open = (at = environments.findIndex((one) => one.baseUrl === chosen?.baseUrl)) => {
    setActive(Math.max(0, at));
    setIsOpen(true);
  };
  const select = (index: number) => {
    const environment = environments[index];
    if (environment) onChoose(environment.baseUrl);
    setIsOpen(false);
    input.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const last = environments.length - 1;
    const target = getTarget(event.key, active, last, environments);
    if (!isOpen) {
      // Enter submits the form.
      if (event.key !== ' ' && !event.key.startsWith('Arrow') && target === null) return;
      open();
    } else if (event.key === 'Enter' || event.key === ' ') select(active);
    else if (event.key === 'Escape') setIsOpen(false);
    else if (target === null) return;
    if (target !== null) setActive(target);
    event.preventDefault();
  };

  return (
    <div className={styles.root}>
      <input
        ref={input}
        id={id}
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-required
        aria-invalid={isInvalid}
        aria-describedby="sign-in-help"
        aria-activedescendant={isOpen ? `${listId}-${active}` : undefined}
        readOnly
        placeholder="Please select an environment"
        value={chosen?.name ?? ''}
        disabled={disabled}
        onClick={() => (isOpen ? setIsOpen(false) : open())}
        onKeyDown={onKeyDown}
        onBlur={() => setIsOpen(false)}
      />
      <svg viewBox="0 0 16 16" className={styles.arrow} aria-hidden="true">
        <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />
      </svg>
      <div id={listId} role="listbox" aria-label="Environments" className={styles.list} hidden={!isOpen}>
        {environments.map((environment, index) => (
          <div
            key={environment.baseUrl}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={environment.baseUrl === chosen?.baseUrl}
            data-active={index === active}
            className={styles.option}
            onPointerMove={() => setActive(index)}
            // Keeps the focus in the field, so that its blur does not close the list before the
            // click.
            onPointerDown={(event) => event.preventDefault()}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => select(index)}
            onKeyDown={onKeyDown}
          >
            {environment.name}
          </div>
        ))}
      </div>
    </div>
  );
}

/**
 * Returns the option a key moves to, or null: arrows, Home, End, and the first letter of a name.
 */
function getTarget(
  key: string,
  active: number,
  last: number,
  environments: readonly { name: string }[],
): number | null {
  if (key === 'ArrowDown') return Math.min(last, active + 1);
  if (key === 'ArrowUp') return Math.max(0, active - 1);
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  if (key.length !== 1 || key === ' ') return null;
  const startsWithKey = (index: number) =>
    environments[index]?.name.toLowerCase().startsWith(key.toLowerCase()) ?? false;
  const order = environments.map((_, step) => (active + 1 + step) % environments.length);
  return order.find(startsWithKey) ?? null;
}

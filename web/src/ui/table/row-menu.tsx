import { IconDots } from '@tabler/icons-react';
import { type ReactNode, type ToggleEvent, useId } from 'react';
import { closePopover, placeBesideButton } from './popover.ts';
import styles from './row-menu.module.css';

/**
 * The actions of a row: in place or, in a narrow frame, in a menu. They are the same elements
 * either way, and the frame's styles decide, so that a change of the width re-renders nothing.
 */
export function RowMenu({ name, children }: { name: string; children: ReactNode }) {
  const id = useId();
  return (
    <>
      <button
        type="button"
        className={styles.button}
        popoverTarget={id}
        title="Actions"
        aria-label={`Actions: ${name}`}
      >
        <IconDots size={17} stroke={1.6} aria-hidden />
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: closes after a click on one of its buttons */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: their keys cause clicks */}
      <div
        id={id}
        popover="auto"
        className={styles.list}
        onBeforeToggle={placeOnOpening}
        // In place, there is nothing to close.
        onClick={({ currentTarget }) => closePopover(currentTarget)}
      >
        {children}
      </div>
    </>
  );
}

function placeOnOpening({ currentTarget, newState }: ToggleEvent<HTMLElement>): void {
  if (newState === 'open') placeBesideButton(currentTarget);
}

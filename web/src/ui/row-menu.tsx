import { IconDots } from '@tabler/icons-react';
import { type ReactNode, type ToggleEvent, useId } from 'react';
import styles from './row-menu.module.css';

const gapPx = 4;

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
        onBeforeToggle={placeBesideButton}
        onClick={({ currentTarget }) => close(currentTarget)}
      >
        {children}
      </div>
    </>
  );
}

/** Above or below the button, on the side that has more room. */
function placeBesideButton({ currentTarget, newState }: ToggleEvent<HTMLElement>): void {
  const button = currentTarget.previousElementSibling?.getBoundingClientRect();
  if (newState !== 'open' || !button) return;
  const { clientWidth, clientHeight } = document.documentElement;
  const isBelow = button.bottom < clientHeight / 2;
  const style = isBelow
    ? { top: `${button.bottom + gapPx}px`, bottom: 'auto' }
    : { top: 'auto', bottom: `${clientHeight - button.top + gapPx}px` };
  Object.assign(currentTarget.style, { ...style, left: 'auto', right: `${clientWidth - button.right}px` });
  const closeOnScroll = ({ target }: Event) => target !== currentTarget && close(currentTarget);
  // It would stay where it is while its row moves away.
  document.addEventListener('scroll', closeOnScroll, { once: true, capture: true });
}

/** Returns the focus to the button of the menu. In place, there is nothing to close. */
function close(list: HTMLElement): void {
  if (list.matches(':popover-open')) list.hidePopover();
}

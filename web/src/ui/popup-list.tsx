import { ActionIcon } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useStore } from '../state/store.ts';
import { CopyButton } from './copyable.tsx';
import styles from './popup-list.module.css';
import { dismissAllPopups, dismissPopup, type Popup, type PopupAction, popupState } from './popups.ts';

/** The corner with the popups. Successes are announced politely, problems immediately. */
export function PopupList() {
  const popups = useStore(popupState);
  const problems = popups.filter((popup) => popup.durationMs === null);
  return (
    <div ref={keepControlsInSight} className={styles.corner}>
      <div role="status" aria-label="Messages" className="stack-s">
        {popups
          .filter((popup) => popup.durationMs !== null)
          .map((popup) => (
            <PopupCard key={popup.id} popup={popup} />
          ))}
      </div>
      <div ref={reserveSpace} role="alert" aria-label="Problems" className="stack-s">
        {problems.length > 1 && (
          <button type="button" className={styles.all} onClick={dismissAllPopups}>
            Dismiss all {problems.length}
          </button>
        )}
        {problems.map((popup) => (
          <PopupCard key={popup.id} popup={popup} />
        ))}
      </div>
    </div>
  );
}

/**
 * A ref callback that gives the page the height of the problems, which stay. It can be scrolled by
 * as much, so that they cover no control for good.
 */
function reserveSpace(problems: HTMLElement | null): (() => void) | undefined {
  if (!problems) return undefined;
  const observer = new ResizeObserver(() =>
    document.documentElement.style.setProperty('--popups-height', `${problems.offsetHeight}px`),
  );
  observer.observe(problems);
  return () => observer.disconnect();
}

/** Where the popups may be; the first that covers nothing is taken. */
const places = ['', 'top', 'left', 'top left'];

/**
 * A ref callback that moves the popups to another corner while they would cover the control with
 * the focus or the button that closes the dialog. Where each corner covers one, the focus wins.
 */
function keepControlsInSight(corner: HTMLElement | null): (() => void) | undefined {
  if (!corner) return undefined;
  const place = () => {
    const focused = document.activeElement;
    // A popup that moved between the press and the release of the pointer would miss the click.
    if (corner.contains(focused)) return;
    // A control of the whole height is covered in each place.
    const hasRoom = focused !== document.body && (focused?.clientHeight ?? 0) < window.innerHeight / 2;
    const wanted = hasRoom ? focused : null;
    const closing = [...document.querySelectorAll('[role="dialog"] [aria-label="Close dialog"]')].at(-1) ?? null;
    const isFree = (name: string, controls: readonly (Element | null)[]) => {
      corner.dataset.place = name;
      return !controls.some((control) => control && isCovered(corner, control));
    };
    corner.dataset.place =
      places.find((name) => isFree(name, [wanted, closing])) ?? places.find((name) => isFree(name, [wanted])) ?? '';
  };
  const observer = new ResizeObserver(place);
  observer.observe(corner);
  document.addEventListener('focusin', place);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', place);
  };
}

function isCovered(corner: HTMLElement, control: Element): boolean {
  const covered = control.getBoundingClientRect();
  return [...corner.querySelectorAll('article')].some((popup) => {
    const { left, right, top, bottom } = popup.getBoundingClientRect();
    return covered.left < right && covered.right > left && covered.top < bottom && covered.bottom > top;
  });
}

function PopupCard({ popup }: { popup: Popup }) {
  // A popup stays open while the pointer or focus is on it.
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    if (popup.durationMs === null || isHeld) return;
    const timer = setTimeout(() => dismissPopup(popup.id), popup.durationMs);
    return () => clearTimeout(timer);
  }, [popup, isHeld]);
  const Icon = popup.tone === 'success' ? IconCircleCheck : IconAlertTriangle;
  return (
    // Not a section, which would be a landmark: two popups may have the same title.
    <article
      aria-label={popup.title}
      className={styles.popup}
      data-tone={popup.tone}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      <Icon size={18} stroke={1.6} aria-hidden />
      <div className={styles.text}>
        <strong>
          {popup.title}
          {popup.count > 1 ? <span className={styles.times}> {popup.count} times</span> : null}
        </strong>
        {popup.text === '' ? null : <div>{popup.text}</div>}
        {popup.requestId ? <div className={styles.request}>Request {popup.requestId}</div> : null}
        {popup.action && <ActionButton popup={popup} action={popup.action} />}
      </div>
      {popup.copyText ? <CopyButton value={popup.copyText} label="Copy error" /> : null}
      <ActionIcon variant="subtle" color="gray" size={24} aria-label="Dismiss" onClick={() => dismissPopup(popup.id)}>
        <IconX size={14} stroke={1.8} aria-hidden />
      </ActionIcon>
    </article>
  );
}

function ActionButton({ popup, action }: { popup: Popup; action: PopupAction }) {
  return (
    <button
      type="button"
      className="link-button"
      onClick={() => {
        dismissPopup(popup.id);
        action.run();
      }}
    >
      {action.label}
    </button>
  );
}

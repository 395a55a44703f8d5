import type { ReactNode } from 'react';
import styles from './top-bar.module.css';

/**
 * The top bar of the sign-in page and the signed-in app: brand, badge and buttons. Uses no
 * component library to keep the sign-in small.
 */
export function TopBar(props: { badge: string; start?: ReactNode; end?: ReactNode }) {
  return (
    <div className={styles.bar}>
      {props.start}
      <a className={styles.brand} href="#/">
        Portal
      </a>
      <span className={styles.space} />
      <span className={styles.badge} title={props.badge}>
        {props.badge}
      </span>
      {props.end}
    </div>
  );
}

/** A top bar button: an icon with an accessible name, and a text where there is room. */
export function BarButton(props: {
  label: string;
  /**
   * Text shown where there is room, also used as the accessible name; otherwise `label` is the
   * name.
   */
  text?: string;
  onClick: () => void;
  expanded?: boolean;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      className={styles.button}
      aria-label={props.text === undefined ? props.label : undefined}
      title={props.label}
      aria-expanded={props.expanded}
      onClick={props.onClick}
    >
      {props.children}
      {props.text && <span className={styles.word}>{props.text}</span>}
    </button>
  );
}

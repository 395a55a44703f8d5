import type { ReactNode } from 'react';
import styles from './top-bar.module.css';

/**
 * The bar both sides of the sign-in have: brand, badge, and what one can do. No component kit, the
 * sign-in is light.
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

/** A button of the bar: an icon with a name, and a word where there is room. */
export function BarButton(props: {
  label: string;
  /** Shown where there is room, and its name everywhere; without it the label is the name. */
  word?: string;
  onClick: () => void;
  expanded?: boolean;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      className={styles.button}
      aria-label={props.word === undefined ? props.label : undefined}
      title={props.label}
      aria-expanded={props.expanded}
      onClick={props.onClick}
    >
      {props.children}
      {props.word && <span className={styles.word}>{props.word}</span>}
    </button>
  );
}

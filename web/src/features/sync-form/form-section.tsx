import { type ReactNode, useId, useState } from 'react';
import styles from './sync-form.module.css';

export function FormSection(props: { title: string; note?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <div className={styles.sectionHead}>
        <h2 id={id}>{props.title}</h2>
        {props.note ? <p>{props.note}</p> : null}
      </div>
      <div className={styles.sectionBody}>{props.children}</div>
    </section>
  );
}

/** Folded away until it is wanted, or until something in it needs attention. */
export function Folded(props: { summary: string; isNeeded?: boolean; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const shows = isOpen || (props.isNeeded ?? false);
  return (
    <details
      className={styles.folded}
      open={shows}
      onToggle={(event) => event.currentTarget.open !== shows && setIsOpen(event.currentTarget.open)}
    >
      <summary>{props.summary}</summary>
      <div className={styles.foldedBody}>{shows && props.children}</div>
    </details>
  );
}

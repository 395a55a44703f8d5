import { type ReactNode, useId, useState } from 'react';
import styles from '../sync-form.module.css';

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

/**
 * Whether something is open: opened by the user or because it is needed. It does not close again on
 * its own, since the user may be typing in it.
 */
export function useOpenState(isNeeded: boolean): [boolean, (isOpen: boolean) => void] {
  const [isOpen, setIsOpen] = useState(isNeeded);
  if (isNeeded && !isOpen) setIsOpen(true);
  return [isOpen, setIsOpen];
}

/** Collapsed until the user opens it or something in it needs attention. */
export function Collapsible({ summary, isNeeded = false, children }: CollapsibleProps) {
  const [isOpen, setIsOpen] = useOpenState(isNeeded);
  return (
    <details
      className={styles.collapsible}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (isNeeded) currentTarget.open = true;
        else setIsOpen(currentTarget.open);
      }}
    >
      <summary>{summary}</summary>
      <div className={styles.collapsibleBody}>{isOpen && children}</div>
    </details>
  );
}

interface CollapsibleProps {
  readonly summary: string;
  readonly isNeeded?: boolean;
  readonly children: ReactNode;
}

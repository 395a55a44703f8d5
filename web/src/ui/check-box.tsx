import type { ReactNode } from 'react';
import styles from './check-box.module.css';

export interface CheckBoxProps {
  /** Beside the box. */
  readonly label?: ReactNode;
  /** For a label elsewhere. */
  readonly id?: string;
  /** Instead of a label, where the row of a table names what is chosen. */
  readonly 'aria-label'?: string;
  readonly className?: string | undefined;
  readonly checked: boolean;
  /** Some of what it stands for is chosen. */
  readonly isPartial?: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

/**
 * A checkbox of the browser. The one of the component library is fifteen components, in each row of
 * a table.
 */
export function CheckBox(props: CheckBoxProps) {
  const { label, className, checked, isPartial = false, disabled = false, onChange } = props;
  // An empty label would be a second one of a box whose label is elsewhere.
  const Line = label === undefined ? 'span' : 'label';
  return (
    <Line className={className === undefined ? styles.line : `${styles.line} ${className}`}>
      <input
        type="checkbox"
        id={props.id}
        className={styles.box}
        ref={(element) => {
          if (element) element.indeterminate = isPartial;
        }}
        aria-label={props['aria-label']}
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </Line>
  );
}

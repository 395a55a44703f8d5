import { ActionIcon } from '@mantine/core';
import { IconFilter, IconX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { LogField } from '../text/log-fields.ts';
import styles from './log-panel.module.css';

/** Lists the fields of a JSON line, and shows only the lines with the same field on request. */
export function LogFieldsPanel(props: {
  fields: readonly LogField[];
  onFilter: (field: LogField) => void;
  /** Called when the panel has taken its space. */
  onShown: () => void;
  onClose: () => void;
}) {
  const { fields, onFilter, onShown, onClose } = props;
  const panel = useRef<HTMLElement>(null);
  // The focus goes to what was opened, and back to the lines with `onClose`.
  useEffect(() => {
    panel.current?.focus();
    onShown();
  }, [onShown]);
  return (
    <section
      ref={panel}
      className={styles.fields}
      tabIndex={-1}
      aria-label="Fields of the line"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <ActionIcon
        className={styles.closeFields}
        variant="subtle"
        size={28}
        aria-label="Close the fields"
        onClick={onClose}
      >
        <IconX size={15} stroke={1.7} aria-hidden />
      </ActionIcon>
      <table aria-label="Fields of the line">
        <tbody>
          {fields.map((field) => (
            <tr key={field.name}>
              <td>
                <ActionIcon
                  variant="subtle"
                  size={24}
                  aria-label={`Show only lines with this ${field.name}`}
                  title={`Show only lines with this ${field.name}`}
                  onClick={() => onFilter(field)}
                >
                  <IconFilter size={14} stroke={1.7} aria-hidden />
                </ActionIcon>
              </td>
              <th scope="row">{field.name}</th>
              <td className={styles.fieldValue}>{field.value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

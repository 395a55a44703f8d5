import { Select, Switch, TextInput } from '@mantine/core';
import '@mantine/core/styles/Switch.layer.css';
import type { ReactNode } from 'react';
import { getLabel } from '../../../sync/field-labels.ts';
import { useForm } from '../draft/use-sync-form.ts';
import styles from '../sync-form.module.css';

/** Returns the element id of a field's input, used to focus it. */
export function getFieldId(path: string): string {
  return `sync-form-${path}`;
}

interface FieldProps {
  readonly path: string;
  readonly label?: string;
  readonly description?: ReactNode;
}

export function TextField(
  props: FieldProps & {
    readonly placeholder?: string;
    readonly readOnly?: boolean;
    readonly type?: 'text' | 'password' | 'url';
    readonly inputMode?: 'numeric' | 'url';
    readonly wide?: boolean;
    readonly mono?: boolean;
    readonly onLeave?: () => void;
  },
) {
  const {
    path,
    label = getLabel(path),
    description,
    readOnly = false,
    type = 'text',
    wide,
    mono,
    onLeave,
    ...rest
  } = props;
  const { form, refusal } = useForm();
  return (
    <TextInput
      {...rest}
      id={getFieldId(path)}
      className={wide ? styles.wide : undefined}
      classNames={{ input: mono ? styles.mono : undefined }}
      label={label}
      description={description}
      type={type}
      value={form.value(path)}
      onChange={(event) => form.change({ [path]: event.currentTarget.value })}
      onBlur={onLeave}
      error={capitalize(form.getError(path))}
      readOnly={readOnly || refusal !== null}
      aria-readonly={readOnly || refusal !== null || undefined}
      autoComplete={type === 'password' ? 'new-password' : 'off'}
      spellCheck={false}
    />
  );
}

export function ToggleField({ path, label = getLabel(path), description }: FieldProps) {
  const { form, refusal } = useForm();
  return (
    <Switch
      id={getFieldId(path)}
      label={label}
      description={description}
      checked={form.isOn(path)}
      onChange={(event) => form.change({ [path]: event.currentTarget.checked })}
      error={capitalize(form.getError(path))}
      disabled={refusal !== null}
      withThumbIndicator={false}
    />
  );
}

export function ChoiceField(
  props: FieldProps & {
    readonly choices: readonly { readonly value: string; readonly label: string }[];
    readonly pending?: boolean;
    readonly onChoose?: (value: string) => void;
  },
) {
  const { path, label = getLabel(path), description, choices, pending = false, onChoose } = props;
  const { form, refusal } = useForm();
  return (
    <Select
      id={getFieldId(path)}
      label={label}
      description={description}
      data={[...choices]}
      value={form.value(path)}
      onChange={(value) => value !== null && (onChoose ? onChoose(value) : form.change({ [path]: value }))}
      error={capitalize(form.getError(path))}
      allowDeselect={false}
      disabled={pending}
      readOnly={refusal !== null}
      aria-readonly={refusal !== null || undefined}
    />
  );
}

/** Problem reasons start in mid-sentence: 'is missing'. */
export function capitalize(reason: string | null): string | null {
  return reason === null ? null : reason.charAt(0).toUpperCase() + reason.slice(1);
}

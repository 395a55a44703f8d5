import { type OptionsFilter, Select } from '@mantine/core';
import '@mantine/core/styles/Combobox.layer.css';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import { IconAlertTriangle, IconCircle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useState } from 'react';
import type { Tone } from '../../ui/tone.ts';
import styles from './app-config.module.css';

const icons = {
  neutral: IconCircle,
  primary: IconCircle,
  success: IconCircleCheck,
  warning: IconAlertTriangle,
  danger: IconCircleX,
} as const;

function ToneIcon({ tone }: { tone: Tone }) {
  const Icon = icons[tone];
  return <Icon size={15} stroke={1.7} className={styles.toneIcon} data-tone={tone} aria-hidden />;
}

/** Finds "2,500" by both "2,500" and "2500". */
const findByLabelOrValue: OptionsFilter = ({ options, search }) => {
  const query = search.trim().toLowerCase();
  return options.filter(
    (option) =>
      'value' in option && (option.label.toLowerCase().includes(query) || String(option.value).startsWith(query)),
  );
};

export interface ToneChoice {
  readonly value: string;
  readonly label: string;
  readonly tone: Tone;
  /** Describes the tone in text, if needed. */
  readonly note: string | null;
}

export interface ToneSelectProps {
  readonly label: string;
  readonly description?: string;
  readonly placeholder?: string;
  readonly choices: readonly ToneChoice[];
  readonly value: string | null;
  readonly onChange: (value: string) => void;
  /** Why the value cannot be changed; null when it can. */
  readonly reason?: string | null;
  readonly pending?: boolean;
  readonly error?: string | null;
  readonly searchable?: boolean;
}

/** A select that shows an icon and a color for each choice, and a text for warnings. */
export function ToneSelect(props: ToneSelectProps) {
  const choiceByValue = new Map(props.choices.map((choice) => [choice.value, choice]));
  const selected = props.value === null ? undefined : choiceByValue.get(props.value);
  const isRefused = (props.reason ?? null) !== null;
  // The text is that of the value, which a change may not reach, except while the user searches.
  const [search, setSearch] = useState<string | null>(null);
  const description = [props.description, selected?.note].filter(Boolean).join(' · ');
  return (
    <Select
      label={props.label}
      description={description}
      placeholder={props.placeholder}
      data={props.choices.map(({ value, label }) => ({ value, label }))}
      value={props.value}
      onChange={(value) => value !== null && value !== props.value && props.onChange(value)}
      allowDeselect={false}
      searchable={props.searchable ?? false}
      searchValue={search ?? selected?.label ?? ''}
      onSearchChange={setSearch}
      onDropdownClose={() => setSearch(null)}
      // The list would cover the error that moved the focus here.
      openOnFocus={false}
      filter={findByLabelOrValue}
      nothingFoundMessage="No matches"
      // Not `disabled`: its value and the reason must be reachable by keyboard.
      readOnly={isRefused || (props.pending ?? false)}
      aria-readonly={isRefused || undefined}
      loading={props.pending ?? false}
      error={props.error}
      leftSection={<ToneIcon tone={selected?.tone ?? 'primary'} />}
      leftSectionPointerEvents="none"
      renderOption={({ option }) => {
        const choice = choiceByValue.get(option.value);
        return (
          <span className={styles.option}>
            <ToneIcon tone={choice?.tone ?? 'neutral'} />
            {option.label} {choice?.note && <span className={styles.optionWord}>{choice.note}</span>}
          </span>
        );
      }}
    />
  );
}

import { Button, NativeSelect, TextInput } from '@mantine/core';
import { CheckBox } from '../../../ui/check-box.tsx';
import '@mantine/core/styles/Combobox.layer.css';
import { rangeSchema } from '@portal/contract/db-spy';
import { IconSearch } from '@tabler/icons-react';
import { useDebouncedInput } from '../../../ui/use-debounced-input.ts';
import styles from '../db-spy.module.css';
import { isFiltered, rangeLabels, type StatsFilter } from '../stats-address.ts';

const debounceMs = 400;
const rangeChoices = rangeSchema.options.map((range) => ({ value: range, label: rangeLabels[range] }));

/** The filters the server applies: the time range and the statements. */
export function StatsFilters(props: {
  filter: StatsFilter;
  /** Receives `range`, `sql`, `calls` and `own` as they appear in the address. */
  onChange: (values: Readonly<Record<string, string>>) => void;
}) {
  const { filter, onChange } = props;
  const search = useDebouncedInput(filter.search, (sql) => onChange({ sql }), debounceMs);
  const minCalls = useDebouncedInput(
    filter.minCalls === 0 ? '' : String(filter.minCalls),
    (calls) => onChange({ calls: /^\d{1,15}$/.test(calls) ? String(Number(calls)) : '' }),
    debounceMs,
  );
  return (
    <search className={styles.filters} aria-label="Filter the statements">
      <NativeSelect
        label="Range"
        data={rangeChoices}
        value={filter.range}
        onChange={(event) => onChange({ range: event.currentTarget.value })}
      />
      <TextInput
        label="Minimum calls"
        inputMode="numeric"
        placeholder="0"
        autoComplete="off"
        value={minCalls.text}
        error={/^\d{0,15}$/.test(minCalls.text) ? null : 'Enter a whole number'}
        onChange={(event) => minCalls.setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && minCalls.commit()}
      />
      <TextInput
        className={styles.contains}
        label="SQL contains, or role is"
        type="search"
        placeholder="Words of the full statement, or a role"
        maxLength={500}
        leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
        value={search.text}
        onChange={(event) => search.setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && search.commit()}
      />
      <CheckBox
        className={styles.own}
        label="Include statements of the portal and its sync"
        checked={filter.withPortalStatements}
        onChange={(isChecked) => onChange({ own: isChecked ? 'shown' : '' })}
      />
      {isFiltered(filter) && (
        <Button variant="default" onClick={() => onChange({ sql: '', calls: '' })}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

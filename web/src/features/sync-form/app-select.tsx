import { type ComboboxItem, type ComboboxLikeRenderOptionInput, Select } from '@mantine/core';
import type { App } from '@portal/contract/apps';
import styles from './sync-form.module.css';

/** A select for an app, searchable by name, schema or id. */
export function AppSelect(props: {
  apps: readonly App[];
  app: App | null;
  placeholder: string;
  onChange: (id: string) => void;
}) {
  const { apps, app, placeholder, onChange } = props;
  const byId = new Map(apps.map((one) => [one.id, one]));
  return (
    <Select
      label="App"
      description={app === null ? 'Search by name or schema' : `Schema ${app.schemaName}`}
      placeholder={placeholder}
      data={apps.map(({ id, name }) => ({ value: id, label: name }))}
      value={app?.id ?? null}
      onChange={(id) => id !== null && onChange(id)}
      filter={({ options, search }) => {
        const query = search.trim().toLowerCase();
        return options.filter((option) => {
          const one = 'value' in option ? byId.get(String(option.value)) : undefined;
          return one && `${one.name} ${one.schemaName} ${one.id}`.toLowerCase().includes(query);
        });
      }}
      renderOption={({ option }: ComboboxLikeRenderOptionInput<ComboboxItem>) => (
        <span className={styles.option}>
          {option.label}
          <span className={styles.quiet}>{byId.get(option.value)?.schemaName}</span>
        </span>
      )}
      allowDeselect={false}
      searchable
      limit={100}
      nothingFoundMessage="No such app"
      disabled={apps.length === 0}
    />
  );
}

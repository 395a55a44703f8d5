import { type ComboboxItem, type ComboboxLikeRenderOptionInput, type OptionsFilter, Select } from '@mantine/core';
import { useMemo } from 'react';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import styles from '../schema-access.module.css';
import type { AppSchemasLoad } from '../use-schema-access.ts';

const maxShown = 100;

/** Selects a schema of a data source by schema or app name. */
export function SchemaSelect(props: {
  /** null until a data source is selected */
  load: AppSchemasLoad | null;
  schema: string | null;
  onChange: (schema: string | null) => void;
}) {
  const { load, schema, onChange } = props;
  const appBySchema = useMemo(
    () => new Map((load?.data ?? []).map(({ schemaName, name }) => [schemaName, name])),
    [load?.data],
  );
  const filter: OptionsFilter = ({ options, search }) => {
    const query = search.trim().toLowerCase();
    const isFound = (name: string) => `${name} ${appBySchema.get(name) ?? ''}`.toLowerCase().includes(query);
    return options.filter((option) => 'value' in option && isFound(String(option.value)));
  };
  const app = schema === null ? undefined : appBySchema.get(schema);
  return (
    <div className="stack-s">
      <Select
        label="Schema Name"
        placeholder={getPlaceholder(load)}
        description={app === undefined ? 'The schemas of the apps in this data source' : `Used by the app ${app}`}
        data={[...appBySchema.keys()].sort((a, b) => a.localeCompare(b))}
        value={schema}
        onChange={onChange}
        searchable
        filter={filter}
        limit={maxShown}
        nothingFoundMessage="No matches"
        disabled={appBySchema.size === 0}
        renderOption={({ option }: ComboboxLikeRenderOptionInput<ComboboxItem>) => (
          <span className={styles.option}>
            {option.value}
            <span className="label">{appBySchema.get(option.value)}</span>
          </span>
        )}
      />
      {load?.isError && (
        <ProblemNote problem={load.error} hasStaleData={load.data !== undefined} onRetry={() => void load.refetch()} />
      )}
    </div>
  );
}

function getPlaceholder(load: AppSchemasLoad | null): string {
  if (load === null) return 'Select a data source first';
  if (load.isPending) return 'Loading …';
  return load.data?.length === 0 ? 'You have no apps with a schema in this data source' : 'Select a schema';
}

import { type ComboboxItem, type ComboboxLikeRenderOptionInput, type OptionsFilter, Select } from '@mantine/core';
import { useMemo } from 'react';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import styles from '../schema-access.module.css';
import type { AppSchemasLoad } from '../use-schema-access.ts';

const mostShown = 100;

/** The schemas of the apps in a data source, each with its app; found by either name. */
export function SchemaSelect(props: {
  /** null while no data source is chosen */
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
    const wanted = search.trim().toLowerCase();
    const isFound = (name: string) => `${name} ${appBySchema.get(name) ?? ''}`.toLowerCase().includes(wanted);
    return options.filter((option) => 'value' in option && isFound(String(option.value)));
  };
  const app = schema === null ? undefined : appBySchema.get(schema);
  return (
    <div className="stack-s">
      <Select
        label="Schema Name"
        placeholder={placeholderOf(load)}
        description={app === undefined ? 'Of the apps in the data source' : `Of the app ${app}`}
        data={[...appBySchema.keys()].sort((a, b) => a.localeCompare(b))}
        value={schema}
        onChange={onChange}
        searchable
        filter={filter}
        limit={mostShown}
        nothingFoundMessage="No such schema or app"
        disabled={appBySchema.size === 0}
        renderOption={({ option }: ComboboxLikeRenderOptionInput<ComboboxItem>) => (
          <span className={styles.option}>
            {option.value}
            <span className="label">{appBySchema.get(option.value)}</span>
          </span>
        )}
      />
      {load?.isError && (
        <ProblemNote problem={load.error} keptData={load.data !== undefined} onRetry={() => void load.refetch()} />
      )}
    </div>
  );
}

function placeholderOf(load: AppSchemasLoad | null): string {
  if (load === null) return 'Choose a data source first';
  if (load.isPending) return 'Loading …';
  return load.data?.length === 0 ? 'None of your apps has a schema here' : 'Choose a schema';
}

import type { App } from '@portal/contract/apps';
import { useMemo } from 'react';
import { AppSelect } from '../../../apps/app-select.tsx';
import { replaceHidden } from '../../../ui/hidden-characters.ts';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import type { AppSchemasLoad } from '../use-schema-access.ts';

/** Selects a schema of a data source by schema or app name. */
export function SchemaSelect(props: {
  /** null until a data source is selected */
  load: AppSchemasLoad | null;
  schema: string | null;
  onChange: (schema: string | null) => void;
}) {
  const { load, schema, onChange } = props;
  const apps = useMemo(
    () => [...new Map((load?.data ?? []).map((app) => [app.schemaName, app])).values()],
    [load?.data],
  );
  const app = apps.find(({ schemaName }) => schemaName === schema) ?? null;
  return (
    <div className="stack-s">
      <AppSelect
        label="Schema Name"
        placeholder={getPlaceholder(load)}
        description={
          app === null ? 'The schemas of the apps in this data source' : `Used by the app ${replaceHidden(app.name)}`
        }
        apps={apps}
        app={app}
        getText={getSchema}
        getDetail={getAppName}
        onChange={(next) => onChange(next?.schemaName ?? null)}
        disabled={apps.length === 0}
      />
      {load?.isError && (
        <ProblemNote problem={load.error} hasStaleData={load.data !== undefined} onRetry={() => void load.refetch()} />
      )}
    </div>
  );
}

function getSchema({ schemaName }: App): string {
  return schemaName;
}

function getAppName({ name }: App): string {
  return name;
}

function getPlaceholder(load: AppSchemasLoad | null): string {
  if (load === null) return 'Select a data source first';
  if (load.isPending) return 'Loading …';
  return load.data?.length === 0 ? 'You have no apps with a schema in this data source' : 'Select a schema';
}

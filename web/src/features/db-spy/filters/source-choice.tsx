import { NativeSelect, Select } from '@mantine/core';
import '@mantine/core/styles/Combobox.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import type { App } from '@portal/contract/apps';
import type { DataSource } from '@portal/contract/environments';
import { AppSelect } from '../../../apps/app-select.tsx';
import type { AppSources } from '../../../apps/use-app-sources.ts';
import styles from '../db-spy.module.css';

export type Mode = 'app' | 'datasource';

/** Selects for the mode, the data source and, in App mode, the app. */
export function SourceChoice(props: {
  mode: Mode;
  dataSources: readonly DataSource[];
  dataSource: string | null;
  sources: AppSources;
  app: App | null;
  onMode: (mode: Mode) => void;
  onDataSource: (name: string | null) => void;
  onApp: (id: string) => void;
}) {
  const { mode, dataSource, sources, app } = props;
  return (
    <div className={styles.choice}>
      <NativeSelect
        label="Mode"
        data={[
          { value: 'app', label: 'App' },
          { value: 'datasource', label: 'Datasource' },
        ]}
        value={mode}
        onChange={(event) => props.onMode(event.currentTarget.value === 'datasource' ? 'datasource' : 'app')}
      />
      <Select
        label="Data Source"
        placeholder={mode === 'app' ? 'Any' : 'Select a data source'}
        data={props.dataSources.map(({ heliumDataSourceName }) => heliumDataSourceName)}
        value={dataSource}
        onChange={props.onDataSource}
        allowDeselect={false}
        clearable={mode === 'app'}
        clearButtonProps={{ 'aria-label': 'Any data source' }}
        searchable
        nothingFoundMessage="No such data source"
      />
      {mode === 'app' && (
        <div>
          <AppSelect
            label="App"
            placeholder="Select an app"
            apps={sources.apps}
            app={app}
            getFieldText={getNameAndId}
            getDetail={(one) => `${one.id} · ${sources.describe(one)}`}
            onChange={(next) => next && props.onApp(next.id)}
          />
          {sources.note !== null && <p className="note">{sources.note}</p>}
        </div>
      )}
    </div>
  );
}

function getNameAndId({ id, name }: App): string {
  return `${name} (${id})`;
}

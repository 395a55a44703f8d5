import { NativeSelect, Select } from '@mantine/core';
import '@mantine/core/styles/Combobox.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import type { App } from '@portal/contract/apps';
import type { DataSource } from '@portal/contract/environments';
import styles from '../db-spy.module.css';

export type Mode = 'app' | 'datasource';

/** Selects for the mode, the data source and, in App mode, the app. */
export function SourceChoice(props: {
  mode: Mode;
  dataSources: readonly DataSource[];
  dataSource: string | null;
  /** The apps of the data source. */
  apps: readonly App[];
  app: App | null;
  /** A note on the listed apps, such as that they are those of all data sources. */
  appsNote: string | null;
  onMode: (mode: Mode) => void;
  onDataSource: (name: string) => void;
  onApp: (id: string) => void;
}) {
  const { mode, dataSource, app } = props;
  const offered = app && !props.apps.some(({ id }) => id === app.id) ? [app, ...props.apps] : props.apps;
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
        placeholder="Select a data source"
        data={props.dataSources.map(({ heliumDataSourceName }) => heliumDataSourceName)}
        value={dataSource}
        onChange={(value) => value !== null && value !== dataSource && props.onDataSource(value)}
        allowDeselect={false}
        searchable
        nothingFoundMessage="No such data source"
      />
      {mode === 'app' && (
        <Select
          label="App"
          placeholder={dataSource === null ? 'Select a data source first' : 'Select an app'}
          description={props.appsNote}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={offered.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
          limit={100}
          value={app?.id ?? null}
          onChange={(value) => value !== null && value !== app?.id && props.onApp(value)}
          allowDeselect={false}
          disabled={dataSource === null && app === null}
          searchable
          nothingFoundMessage="No such app"
        />
      )}
    </div>
  );
}

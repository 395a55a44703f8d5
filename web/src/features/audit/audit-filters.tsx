import { Autocomplete, Button, NativeSelect, TextInput } from '@mantine/core';
import '@mantine/core/styles/Combobox.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import type { App } from '@portal/contract/apps';
import { IconSearch } from '@tabler/icons-react';
import { getServerNow } from '../../api/server-clock.ts';
import { AppSelect } from '../../apps/app-select.tsx';
import { formatZoneOffset } from '../../format/instants.ts';
import { useDebouncedInput } from '../../ui/use-debounced-input.ts';
import styles from './audit.module.css';
import { type AuditFilter, auditOutcomes, isFiltered, parseFieldValue, toFieldValue } from './audit-filter.ts';

const searchDelayMs = 300;

/** The filters of the audit trail. No filter shows everything. */
export function AuditFilters(props: {
  filter: AuditFilter;
  apps: readonly App[];
  /** Suggestions; other values can be typed. */
  users: readonly string[];
  actions: readonly string[];
  /** Sets the given filters; undefined or '' removes a filter. */
  onChange: (change: { readonly [K in keyof AuditFilter]?: string | undefined }) => void;
  onClear: () => void;
}) {
  const { filter, apps, onChange } = props;
  const search = useDebouncedInput(filter.search ?? '', (text) => onChange({ search: text }), searchDelayMs);
  const user = useDebouncedInput(filter.user ?? '', (text) => onChange({ user: text }), null);
  const action = useDebouncedInput(filter.action ?? '', (text) => onChange({ action: text }), null);
  return (
    <search className={styles.filters} aria-label="Filter the audit trail">
      <TextInput
        className={styles.wide}
        label="Search"
        type="search"
        data-table-search
        placeholder="User, action, app or description"
        leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
        value={search.text}
        onChange={(event) => search.setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && search.commit()}
      />
      <Autocomplete
        label="User"
        placeholder="Anyone"
        data={[...props.users]}
        value={user.text}
        onChange={user.setText}
        onOptionSubmit={user.commit}
        onBlur={() => user.commit()}
        onKeyDown={(event) => event.key === 'Enter' && user.commit()}
        autoComplete="off"
      />
      <Autocomplete
        label="Action"
        placeholder="Any"
        data={[...props.actions]}
        value={action.text}
        onChange={action.setText}
        onOptionSubmit={action.commit}
        onBlur={() => action.commit()}
        onKeyDown={(event) => event.key === 'Enter' && action.commit()}
        autoComplete="off"
      />
      <NativeSelect
        label="Outcome"
        data={[{ value: '', label: 'Any' }, ...auditOutcomes.map((outcome) => ({ value: outcome, label: outcome }))]}
        value={filter.outcome ?? ''}
        onChange={(event) => onChange({ outcome: event.currentTarget.value })}
      />
      <AppSelect
        label="App"
        placeholder="Any"
        apps={apps}
        app={filter.app ? (apps.find(({ id }) => id === filter.app) ?? createUnlistedApp(filter.app)) : null}
        clearLabel="Any app"
        onChange={(app) => onChange({ app: app?.id })}
      />
      <TextInput
        className={styles.moment}
        label={`From (${describeOffset(filter.from)})`}
        type="datetime-local"
        value={toFieldValue(filter.from)}
        onChange={(event) => onChange({ from: parseFieldValue(event.currentTarget.value) })}
      />
      <TextInput
        className={styles.moment}
        label={`To (${describeOffset(filter.to)})`}
        type="datetime-local"
        value={toFieldValue(filter.to)}
        onChange={(event) => onChange({ to: parseFieldValue(event.currentTarget.value) })}
      />
      {isFiltered(filter) && (
        <Button variant="default" onClick={props.onClear}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

/** Names the clock of a field by its offset at the selected instant: "UTC+02:00". */
function describeOffset(instant: string | undefined): string {
  return `UTC${formatZoneOffset(new Date(instant ?? getServerNow()))}`;
}

/** The entries of an app stay when the user can no longer see the app, or when it was deleted. */
function createUnlistedApp(id: string): App {
  return { id, name: id, fqdn: '', schemaName: '' };
}

import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FoundRecords, maxFoundRecords, type SearchedObject } from '@portal/contract/sync-find';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import { type FormEvent, useState } from 'react';
import { useAddressValue } from '../../../lib/use-address.ts';
import { Empty } from '../../../ui/empty.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import styles from './find-record.module.css';
import { FoundRecordCard } from './found-record-card.tsx';
import { type RecordSearch, useFoundRecords } from './use-found-records.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const isId = (text: string): text is string => uuid.test(text);

interface FindProps {
  readonly integration: SyncIntegration;
  readonly refusal: string | null;
}

/** Finds a record by its id or by a value, and shows everything that is known of it. */
export function FindRecord({ integration, refusal }: FindProps) {
  const [id, setId] = useAddressValue('find', '', isId);
  const [search, setSearch] = useState<RecordSearch>(id === '' ? {} : { id });
  const found = useFoundRecords(integration.id, search);
  const objects = useFoundRecords(integration.id, {}).data?.objects ?? [];
  const submit = (next: RecordSearch) => {
    setSearch(next);
    setId(next.id ?? '');
    // The same search again reads both sides again.
    if (JSON.stringify(next) === JSON.stringify(search)) void found.refetch();
  };
  const isSearch = search.id !== undefined || search.value !== undefined;
  return (
    <>
      <p className="note">
        Shows Helium’s row and Journey’s object as they are now, and everything the sync knows of the record. A search
        by value finds rows of Helium.
      </p>
      <SearchForm objects={objects} initialId={id} isSearching={isSearch && found.isFetching} onSearch={submit} />
      {isSearch && found.error && <ProblemNote problem={found.error} onRetry={() => void found.refetch()} />}
      {isSearch && found.data && !found.error && (
        <Results found={found.data} search={search} integration={integration} refusal={refusal} />
      )}
    </>
  );
}

const anyTable = '';

function SearchForm(props: {
  objects: readonly SearchedObject[];
  initialId: string;
  isSearching: boolean;
  onSearch: (search: RecordSearch) => void;
}) {
  const { objects, isSearching, onSearch } = props;
  const [table, setTable] = useState(anyTable);
  const [column, setColumn] = useState('');
  const [text, setText] = useState(props.initialId);
  const columns = objects.find((object) => object.table === table)?.columns ?? [];
  const isById = column === '';
  const value = isById ? text.trim() : text;
  const error = isById && value !== '' && !uuid.test(value) ? 'Enter an id, or choose a table and a column.' : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value === '' || error !== null) return;
    const chosen = table === anyTable ? {} : { table };
    onSearch(isById ? { ...chosen, id: value.toLowerCase() } : { ...chosen, column, value });
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label="Find a record">
      <NativeSelect
        label="Table"
        value={table}
        data={[{ value: anyTable, label: 'Any' }, ...objects.map((object) => object.table)]}
        onChange={({ currentTarget }) => {
          setTable(currentTarget.value);
          setColumn('');
        }}
      />
      <NativeSelect
        label="Column"
        value={column}
        data={[{ value: '', label: 'id' }, ...columns]}
        disabled={table === anyTable}
        onChange={({ currentTarget }) => setColumn(currentTarget.value)}
      />
      <TextInput
        className={styles.text}
        label={isById ? 'Record id' : 'Value'}
        placeholder={isById ? '00000000-0000-0000-0000-000000000000' : 'The exact value'}
        autoComplete="off"
        spellCheck={false}
        value={text}
        error={error}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit" loading={isSearching} disabled={value === '' || error !== null}>
        Find
      </Button>
    </form>
  );
}

function Results({ found, search, integration, refusal }: FindProps & { found: FoundRecords; search: RecordSearch }) {
  const { records, isCut, problem, isLoggingIds } = found;
  return (
    <div className="stack">
      {problem !== null && (
        <p role="alert" className={styles.problem}>
          {problem} What the sync knows of the record is stored there, too.
        </p>
      )}
      {isCut && <p className="note">Showing {maxFoundRecords} records; there are more with this value.</p>}
      {records.length === 0 && problem === null && (
        <Empty
          text={
            search.id === undefined ? 'No row of Helium has this value.' : 'Neither Helium nor the sync knows this id.'
          }
          hint={
            search.id !== undefined && search.table === undefined && 'Choose a table to look it up in Journey, too.'
          }
        />
      )}
      {records.map((record) => (
        <FoundRecordCard
          key={`${record.table}/${record.id}`}
          record={record}
          isLoggingIds={isLoggingIds}
          isStateKnown={problem === null}
          appId={integration.id}
          refusal={refusal}
        />
      ))}
    </div>
  );
}

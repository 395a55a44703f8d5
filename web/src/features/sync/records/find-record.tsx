import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FoundRecords, maxFoundRecords, type SearchedObject } from '@portal/contract/sync/find';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useAddress, useAddressValue } from '../../../state/use-address.ts';
import { Empty } from '../../../ui/empty.tsx';
import { ProblemNote } from '../../../ui/problem-note.tsx';
import styles from './find-record.module.css';
import { FoundRecordCard } from './found-record-card.tsx';
import type { RecordName } from './record-links.tsx';
import { type RecordSearch, useFoundRecords } from './use-found-records.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const isId = (text: string): text is string => uuid.test(text);

interface FindProps {
  readonly integration: SyncIntegration;
  readonly refusal: string | null;
}

const anyTable = '';
const anyColumn = '';
const isName = (text: string): text is string => text.length <= 200;

/** Finds a record by its id or by a value, and shows everything that is known of it. */
export function FindRecord({ integration, refusal }: FindProps) {
  const [id] = useAddressValue('find', '', isId);
  const [table] = useAddressValue('in', '', isName);
  const [, changeAddress] = useAddress();
  // A value may be personal, so it is not in the address.
  const [byValue, setByValue] = useState<RecordSearch | null>(null);
  const byId: RecordSearch = id === '' ? {} : { id, ...(table !== '' && { table }) };
  const search = byValue ?? byId;
  const [entered, setEntered] = useState<EnteredSearch>({ table, column: anyColumn, text: id });
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The link that had the focus was in another tab and is gone.
    if (document.activeElement === document.body) input.current?.focus();
  }, []);
  const found = useFoundRecords(integration.id, search);
  const objects = useFoundRecords(integration.id, {}).data?.objects ?? [];
  const submit = (next: RecordSearch) => {
    setByValue(next.id === undefined ? next : null);
    changeAddress(({ find: _find, in: _in, ...address }) =>
      next.id === undefined
        ? address
        : { ...address, find: next.id, ...(next.table !== undefined && { in: next.table }) },
    );
    // The same search again reads both sides again.
    if (JSON.stringify(next) === JSON.stringify(search)) void found.refetch();
  };
  const follow = ({ table, id }: RecordName) => {
    submit({ id, table });
    setEntered({ table, column: anyColumn, text: id });
    input.current?.focus();
  };
  const isSearch = search.id !== undefined || search.value !== undefined;
  return (
    <>
      <p className="note">
        Looks for an id or a value in Helium’s rows, Journey’s objects and held records. Shows both sides as they are
        now, and everything the sync knows about the record.
      </p>
      <SearchForm
        objects={objects}
        entered={entered}
        onEnter={setEntered}
        input={input}
        isSearching={isSearch && found.isFetching}
        onSearch={submit}
      />
      {isSearch && found.error && <ProblemNote problem={found.error} onRetry={() => void found.refetch()} />}
      {isSearch && found.data && !found.error && (
        <Results found={found.data} search={search} integration={integration} refusal={refusal} onFind={follow} />
      )}
    </>
  );
}

interface EnteredSearch {
  readonly table: string;
  readonly column: string;
  readonly text: string;
}

function SearchForm(props: {
  objects: readonly SearchedObject[];
  entered: EnteredSearch;
  onEnter: (entered: EnteredSearch) => void;
  input: RefObject<HTMLInputElement | null>;
  isSearching: boolean;
  onSearch: (search: RecordSearch) => void;
}) {
  const { objects, entered, onEnter, input, isSearching, onSearch } = props;
  const { table, column, text } = entered;
  const columns = objects.find((object) => object.table === table)?.columns ?? [];
  const isBlank = text.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBlank) return;
    const chosen = table === anyTable ? {} : { table };
    if (column !== anyColumn) onSearch({ ...chosen, column, value: text });
    else if (uuid.test(text.trim())) onSearch({ ...chosen, id: text.trim().toLowerCase() });
    else onSearch({ ...chosen, value: text });
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label="Find a record">
      <NativeSelect
        label="Table"
        value={table}
        data={[
          { value: anyTable, label: 'Any' },
          ...(table === anyTable || objects.some((object) => object.table === table) ? [] : [table]),
          ...objects.map((object) => object.table),
        ]}
        onChange={({ currentTarget }) => onEnter({ ...entered, table: currentTarget.value, column: anyColumn })}
      />
      <NativeSelect
        label="Column"
        value={column}
        data={[{ value: anyColumn, label: 'Id or any' }, ...columns]}
        disabled={table === anyTable}
        onChange={({ currentTarget }) => onEnter({ ...entered, column: currentTarget.value })}
      />
      <TextInput
        ref={input}
        className={styles.text}
        label={column === anyColumn ? 'Id or value' : 'Value'}
        placeholder="An id, a number, a date, or a part of a text"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => onEnter({ ...entered, text: currentTarget.value })}
      />
      <Button type="submit" loading={isSearching} disabled={isBlank}>
        Find
      </Button>
    </form>
  );
}

interface ResultsProps extends FindProps {
  readonly found: FoundRecords;
  readonly search: RecordSearch;
  readonly onFind: (record: RecordName) => void;
}

function Results({ found, search, integration, refusal, onFind }: ResultsProps) {
  const { records, isCut, notSearched, objects, problem, isLoggingIds } = found;
  return (
    <div className="stack">
      {problem !== null && (
        <p role="alert" className={styles.problem}>
          {problem} What the sync knows about the record is stored there, too.
        </p>
      )}
      {notSearched.map((text) => (
        <p key={text} role="alert" className={styles.problem}>
          {text}
        </p>
      ))}
      {isCut && <p className="note">Showing {maxFoundRecords} records; there are more with this value.</p>}
      {records.length === 0 && problem === null && (
        <Empty text={describeAbsence(search, notSearched.length > 0)} hint={hintAtAbsence(search)} />
      )}
      {records.map((record) => (
        <FoundRecordCard
          key={`${record.table}/${record.id}`}
          record={record}
          object={objects.find(({ table }) => table === record.table)}
          onFind={onFind}
          isLoggingIds={isLoggingIds}
          isStateKnown={problem === null}
          appId={integration.id}
          refusal={refusal}
        />
      ))}
    </div>
  );
}

function describeAbsence({ id }: RecordSearch, isIncomplete: boolean): string {
  const what = id === undefined ? 'value' : 'id';
  return isIncomplete
    ? `Nothing with this ${what} was found where it was searched.`
    : `Neither Helium nor Journey has this ${what}, and no held record has it.`;
}

function hintAtAbsence({ id }: RecordSearch): string | null {
  return id === undefined
    ? 'Texts match from three letters on, in Journey with their letter case. All other values must match as a whole.'
    : null;
}

import { Autocomplete, Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import {
  addEntryPoint,
  getTimeoutTone,
  timeoutChoices,
  updateEntryPoint,
  viewScope,
} from '@portal/contract/app-config';
import type { ScheduledEvent } from '@portal/contract/scheduled-functions';
import { type FormEvent, useState } from 'react';
import { call } from '../../lib/call.ts';
import styles from './app-config.module.css';
import { checkEntryPoint, type EntryPointFields, type FaultyField, fieldsOf } from './check-entry-point.ts';
import { functionsOf, minutesText, unitsOf, wordByTone } from './entry-points.ts';
import { ToneSelect } from './tone-select.tsx';
import type { ConfigChange } from './use-app-config.ts';

export interface EntryPointModalProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The entry point to update; null for a new one. */
  readonly oldEntryPoint: string | null;
  readonly timeoutMinsByKey: Readonly<Record<string, number>>;
  /** For suggestions; empty while they are not known. */
  readonly events: readonly ScheduledEvent[];
  readonly pending: boolean;
  readonly onSave: (change: ConfigChange) => void;
}

/** Asks for an entry point and its timeout, new or changed. */
export function EntryPointModal(props: EntryPointModalProps) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.oldEntryPoint === null ? 'New entry-point' : 'Update entry point'}
      centered
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {/* Inside, so that each opening begins with what is stored. */}
      <EntryPointForm {...props} />
    </Modal>
  );
}

function EntryPointForm({ oldEntryPoint, timeoutMinsByKey, events, pending, onSave, onClose }: EntryPointModalProps) {
  const [fields, setFields] = useState(() => fieldsOf(oldEntryPoint, timeoutMinsByKey));
  const [wasTried, setWasTried] = useState(false);
  const { isView, unit, name, timeoutMins } = fields;
  const { entryPoint, expected, fault, isTaken, summary } = checkEntryPoint(fields, oldEntryPoint, timeoutMinsByKey);
  const change = (values: Partial<EntryPointFields>) => setFields((current) => ({ ...current, ...values }));
  const faultAt = (field: FaultyField) => (wasTried && fault?.field === field ? fault.text : null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasTried(true);
    if (pending || fault !== null || isTaken) return;
    const values = { entryPoint, duration: timeoutMins, expected };
    onSave({
      control: 'entry-point',
      send: (about) =>
        oldEntryPoint === null
          ? call(addEntryPoint, { ...about, ...values })
          : call(updateEntryPoint, { ...about, ...values, oldEntryPoint }),
    });
  };

  return (
    <form onSubmit={submit} className="stack" noValidate>
      <NativeSelect
        label="Type"
        data={[
          { value: 'function', label: 'Scheduled function' },
          { value: 'view', label: 'View' },
        ]}
        value={isView ? 'view' : 'function'}
        onChange={(event) => change({ isView: event.currentTarget.value === 'view' })}
        data-autofocus
      />
      {isView ? (
        <TextInput label="Scope" description="Of every view in the web app" value={viewScope} readOnly />
      ) : (
        <Autocomplete
          label="Scope"
          description="The DSL unit's name"
          data={unitsOf(events)}
          value={unit}
          onChange={(unit) => change({ unit })}
          error={faultAt('scope')}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <Autocomplete
        label="Entry point"
        description={isView ? 'The view file’s name without its extension' : 'The DSL function’s name'}
        data={isView ? [] : functionsOf(events, unit)}
        value={name}
        onChange={(name) => change({ name })}
        error={isTaken ? `${entryPoint} exists already` : faultAt('name')}
        autoComplete="off"
        spellCheck={false}
      />
      <ToneSelect
        label="Timeout in minutes"
        description="An entry point that runs longer is interrupted"
        placeholder="Choose minutes"
        choices={timeoutOptions(oldEntryPoint === null ? null : expected)}
        value={timeoutMins > 0 ? String(timeoutMins) : null}
        onChange={(value) => change({ timeoutMins: Number(value) })}
        error={faultAt('timeout')}
        searchable
      />
      <p className={styles.summary} role="status">
        {summary}
      </p>
      <div className="buttons">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button type="submit" loading={pending}>
          Save
        </Button>
      </div>
    </form>
  );
}

/** The specified choices, and the stored value where somebody set another one on the platform. */
function timeoutOptions(storedMins: number | null) {
  const minutes = new Set([...timeoutChoices, ...(storedMins === null ? [] : [storedMins])]);
  return [...minutes]
    .sort((a, b) => a - b)
    .map((mins) => {
      const tone = getTimeoutTone(mins, 'chooser');
      return { value: String(mins), label: minutesText(mins), tone, word: wordByTone[tone] };
    });
}

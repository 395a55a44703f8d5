import { Autocomplete, Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import {
  addEntryPoint,
  getTimeoutTone,
  timeoutChoices,
  updateEntryPoint,
  viewScope,
} from '@portal/contract/app-config';
import type { ScheduledEvent } from '@portal/contract/scheduled-functions';
import { type FormEvent, useRef, useState } from 'react';
import { call } from '../../../api/call.ts';
import { createKept, useKeptState } from '../../../session/use-kept-state.ts';
import { useFaultFocus } from '../../../ui/use-fault-focus.ts';
import styles from '../app-config.module.css';
import { ToneSelect } from '../tone-select.tsx';
import type { ConfigChange } from '../use-app-config.ts';
import { checkEntryPoint, type EntryPointFields, getInitialFields, type InvalidField } from './check-entry-point.ts';
import { formatMinutes, getFunctions, getTimeoutMins, getUnits, labelByTone } from './entry-points.ts';

export interface EntryPointModalProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly appId: string;
  /** The entry point to update; null for a new one. */
  readonly oldEntryPoint: string | null;
  readonly timeoutMinsByKey: Readonly<Record<string, number>>;
  /** Suggestions; empty until loaded. */
  readonly events: readonly ScheduledEvent[];
  readonly pending: boolean;
  readonly onSave: (change: ConfigChange) => void;
}

/** Creates or updates an entry point and its timeout. */
export function EntryPointModal(props: EntryPointModalProps) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.oldEntryPoint === null ? 'New entry-point' : 'Update entry point'}
      centered
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {/* Inside the modal, so that each opening starts with the stored values. */}
      <EntryPointForm {...props} />
    </Modal>
  );
}

const keptFields = createKept<EntryPointFields>();

function EntryPointForm(props: EntryPointModalProps) {
  const { appId, oldEntryPoint, timeoutMinsByKey, events, pending, onSave, onClose } = props;
  const [fields, setFields] = useKeptState(keptFields, `${appId} ${oldEntryPoint}`, () =>
    getInitialFields(oldEntryPoint, timeoutMinsByKey),
  );
  const [openedMins, setOpenedMins] = useState(() =>
    oldEntryPoint === null ? null : getTimeoutMins(timeoutMinsByKey, oldEntryPoint),
  );
  const [attempts, setAttempts] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  useFaultFocus(form, attempts);
  const { isView, unit, name, timeoutMins } = fields;
  const { entryPoint, expected, changedMins, error, isTaken, storedMins, summary } = checkEntryPoint(
    fields,
    oldEntryPoint,
    timeoutMinsByKey,
    openedMins,
  );
  // What this form has saved replaces nothing, and must not be announced while the dialog closes.
  const [sent, setSent] = useState<string | null>(null);
  const isOwnSave = sent === `${entryPoint} ${timeoutMins}` && storedMins === timeoutMins;
  const change = (values: Partial<EntryPointFields>) => setFields((current) => ({ ...current, ...values }));
  const getFieldError = (field: InvalidField) => (attempts > 0 && error?.field === field ? error.text : null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAttempts(attempts + 1);
    if (pending || error !== null || isTaken) return;
    setSent(`${entryPoint} ${timeoutMins}`);
    const values = { entryPoint, duration: timeoutMins, expected };
    onSave({
      control: 'entry-point',
      send: (context) =>
        oldEntryPoint === null
          ? call(addEntryPoint, { ...context, ...values })
          : call(updateEntryPoint, { ...context, ...values, oldEntryPoint }),
    });
  };

  return (
    <form ref={form} onSubmit={submit} className="stack" noValidate>
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
        <TextInput label="Scope" description="Applies to views in the web app" value={viewScope} readOnly />
      ) : (
        <Autocomplete
          label="Scope"
          description="Name of the DSL unit"
          data={getUnits(events)}
          value={unit}
          onChange={(unit) => change({ unit })}
          error={getFieldError('scope')}
          openOnFocus={false}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <Autocomplete
        label="Entry point"
        description={isView ? 'Name of the view file, without extension' : 'Name of the DSL function'}
        data={isView ? [] : getFunctions(events, unit)}
        value={name}
        onChange={(name) => change({ name })}
        error={isTaken ? `${entryPoint} already exists` : getFieldError('name')}
        openOnFocus={false}
        autoComplete="off"
        spellCheck={false}
      />
      <ToneSelect
        label="Timeout in minutes"
        description="An entry point that runs longer is interrupted"
        placeholder="Select minutes"
        choices={timeoutOptions(oldEntryPoint === null ? null : expected)}
        value={timeoutMins > 0 ? String(timeoutMins) : null}
        onChange={(value) => change({ timeoutMins: Number(value) })}
        error={getFieldError('timeout')}
        searchable
      />
      <p className={styles.summary} role="status">
        {isOwnSave ? '' : summary}
      </p>
      {changedMins !== null && (
        <button type="button" className="link-button" onClick={() => setOpenedMins(changedMins)}>
          Keep mine
        </button>
      )}
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

/** The specified choices, plus the stored value if it is a different one. */
function timeoutOptions(storedMins: number | null) {
  const minutes = new Set([...timeoutChoices, ...(storedMins === null ? [] : [storedMins])]);
  return [...minutes]
    .sort((a, b) => a - b)
    .map((mins) => {
      const tone = getTimeoutTone(mins, 'chooser');
      return { value: String(mins), label: formatMinutes(mins), tone, note: labelByTone[tone] };
    });
}

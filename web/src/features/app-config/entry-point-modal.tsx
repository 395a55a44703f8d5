import { Autocomplete, Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import {
  addEntryPoint,
  entryPointOf,
  findEntryPointFault,
  splitEntryPoint,
  timeoutChoices,
  toneOfTimeout,
  updateEntryPoint,
  viewScope,
} from '@portal/contract/app-config';
import type { ScheduledEvent } from '@portal/contract/scheduled-functions';
import { type FormEvent, useState } from 'react';
import { call } from '../../lib/call.ts';
import styles from './app-config.module.css';
import { functionsOf, minutesText, timeoutMinsOf, unitsOf, wordByTone } from './entry-points.ts';
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
  const old = oldEntryPoint === null ? null : splitEntryPoint(oldEntryPoint);
  const oldMins = oldEntryPoint === null ? null : timeoutMinsOf(timeoutMinsByKey, oldEntryPoint);
  const [isView, setIsView] = useState(old !== null && old.scope === viewScope);
  const [unit, setUnit] = useState(old === null || old.scope === viewScope ? '' : old.scope);
  const [name, setName] = useState(old?.name ?? '');
  const [timeoutMins, setTimeoutMins] = useState(oldMins ?? 0);
  const [wasTried, setWasTried] = useState(false);

  const draft = { scope: isView ? viewScope : unit, name, timeoutMins };
  const entryPoint = entryPointOf(draft);
  const fault = wasTried ? findEntryPointFault(draft) : null;
  const faulty = draft.scope.trim() === '' ? 'scope' : name.trim() === '' ? 'name' : 'timeout';
  const isRenamed = oldEntryPoint !== null && entryPoint !== oldEntryPoint;
  // What stands on the screen is what the change expects to find: a change by somebody else shows
  // here first.
  const currentMins = timeoutMinsOf(timeoutMinsByKey, entryPoint);
  const isTaken = isRenamed && currentMins !== null;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasTried(true);
    if (pending || findEntryPointFault(draft) !== null || isTaken) return;
    onSave({
      control: 'entry-point',
      send: (about) =>
        oldEntryPoint === null
          ? call(addEntryPoint, { ...about, entryPoint, duration: timeoutMins, expected: currentMins })
          : call(updateEntryPoint, { ...about, oldEntryPoint, entryPoint, duration: timeoutMins, expected: oldMins }),
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
        onChange={(event) => setIsView(event.currentTarget.value === 'view')}
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
          onChange={setUnit}
          error={fault !== null && faulty === 'scope' ? fault : null}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <Autocomplete
        label="Entry point"
        description={isView ? 'The view file’s name without its extension' : 'The DSL function’s name'}
        data={isView ? [] : functionsOf(events, unit)}
        value={name}
        onChange={setName}
        error={isTaken ? `${entryPoint} exists already` : fault !== null && faulty === 'name' ? fault : null}
        autoComplete="off"
        spellCheck={false}
      />
      <ToneSelect
        label="Timeout in minutes"
        description="An entry point that runs longer is interrupted"
        placeholder="Choose minutes"
        choices={timeoutOptions(oldMins)}
        value={timeoutMins > 0 ? String(timeoutMins) : null}
        onChange={(value) => setTimeoutMins(Number(value))}
        error={fault !== null && faulty === 'timeout' ? fault : null}
        searchable
      />
      <p className={styles.summary} role="status">
        {summaryOf({
          oldEntryPoint,
          oldMins,
          entryPoint,
          currentMins,
          isComplete: findEntryPointFault(draft) === null,
        })}
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
      const tone = toneOfTimeout(mins, 'chooser');
      return { value: String(mins), label: minutesText(mins), tone, word: wordByTone[tone] };
    });
}

/** What stands there now, so that nobody overwrites what they have not seen. */
function summaryOf(about: {
  oldEntryPoint: string | null;
  oldMins: number | null;
  entryPoint: string;
  currentMins: number | null;
  isComplete: boolean;
}): string {
  const { oldEntryPoint, oldMins, entryPoint, currentMins, isComplete } = about;
  if (oldEntryPoint === null)
    return isComplete && currentMins !== null
      ? `${entryPoint} is set to ${minutesText(currentMins)} already; saving replaces that.`
      : '';
  if (oldMins === null) return `${oldEntryPoint} has been removed meanwhile.`;
  return entryPoint === oldEntryPoint ? `Set to ${minutesText(oldMins)} now.` : `Replaces ${oldEntryPoint}.`;
}

import { Button, Modal, TextInput } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { findShiftError, isMaskedNumber, type PortalShift } from '@portal/contract/support-roster';
import { type FormEvent, useRef, useState } from 'react';
import { parseWallClock, toWallClock } from '../../format/wall-clock.ts';
import { createKept, useKeptState } from '../../session/use-kept-state.ts';
import { useFaultFocus } from '../../ui/use-fault-focus.ts';
import styles from './support-roster.module.css';
import type { ShiftSave } from './use-shift-changes.ts';

interface ShiftModalProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The shift to change; null for a new one. */
  readonly shift: PortalShift | null;
  readonly timeZone: string;
  readonly pending: boolean;
  readonly onSave: (shift: ShiftSave) => void;
}

/** The dialog for a new or changed shift, in the environment's time zone. */
export function ShiftModal(props: ShiftModalProps) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.shift === null ? 'Add a shift' : 'Change the shift'}
      centered
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {/* Inside the dialog, so that each opening starts with the stored values. */}
      <ShiftForm {...props} />
    </Modal>
  );
}

type ShiftFields = Readonly<Record<'name' | 'number' | 'start' | 'end', string>>;

const keptFields = createKept<ShiftFields>();

function ShiftForm({ shift, timeZone, pending, onSave, onClose }: ShiftModalProps) {
  const toField = (at: string | undefined) => (at === undefined ? '' : toWallClock(new Date(at), timeZone, 'field'));
  const readField = (field: string, at: string | undefined) =>
    parseWallClock(field, timeZone, {
      format: 'field',
      preferred: at === undefined ? at : new Date(at),
    })?.toISOString() ?? null;
  const [fields, setFields] = useKeptState(keptFields, String(shift?.id ?? 'new'), () => ({
    name: shift?.name ?? '',
    number: shift?.number ?? '',
    start: toField(shift?.start),
    end: toField(shift?.end),
  }));
  const { name, number, start, end } = fields;
  const change = (values: Partial<ShiftFields>) => setFields((current) => ({ ...current, ...values }));
  const [attempts, setAttempts] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  useFaultFocus(form, attempts);

  const draft = {
    name: name.trim(),
    start: readField(start, shift?.start),
    end: readField(end, shift?.end),
  };
  const error = attempts > 0 ? findShiftError(draft) : null;
  const getError = (field: 'name' | 'start' | 'end') => (error?.field === field ? error.text : null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAttempts(attempts + 1);
    if (pending || findShiftError(draft) !== null || draft.start === null || draft.end === null) return;
    onSave({
      id: shift?.id ?? null,
      name: draft.name,
      number: number.trim() || null,
      start: draft.start,
      end: draft.end,
    });
  };

  return (
    <form ref={form} onSubmit={submit} className="stack" noValidate>
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        error={getError('name')}
        autoComplete="off"
        maxLength={200}
        data-autofocus
      />
      <TextInput
        label="Number"
        description={describeNumber(shift)}
        type="tel"
        value={number}
        onChange={(event) => change({ number: event.currentTarget.value })}
        autoComplete="off"
        maxLength={40}
      />
      <TextInput
        label="From"
        type="datetime-local"
        value={start}
        onChange={(event) => change({ start: event.currentTarget.value })}
        error={getError('start')}
      />
      <TextInput
        label="Until"
        type="datetime-local"
        value={end}
        min={start}
        onChange={(event) => change({ end: event.currentTarget.value })}
        error={getError('end')}
      />
      <p className="note">Times are in {timeZone}.</p>
      <div className={styles.buttons}>
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

/** Describes how to enter a number. Numbers belong to a person; a masked one is left unchanged. */
function describeNumber(shift: PortalShift | null): string {
  if (shift === null) return 'With country code. Leave empty to keep the number on file';
  return shift.number === null || !isMaskedNumber(shift.number)
    ? 'With country code'
    : 'Leave unchanged to keep it, or enter the full number';
}

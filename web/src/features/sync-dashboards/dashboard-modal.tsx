import { Button, Modal, TextInput } from '@mantine/core';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import type { SyncDashboard } from '@portal/contract/sync/dashboards';
import { type FormEvent, useMemo, useRef, useState } from 'react';
import { createKept, useKeptState } from '../../session/use-kept-state.ts';
import { useFaultFocus } from '../../ui/use-fault-focus.ts';
import { AppPicker } from './app-picker.tsx';
import { findNameError, useSaveDashboard } from './use-dashboards.ts';

const maxNameLength = 200;

const keptIsOpen = createKept<boolean>();
const keptDashboard = createKept<SyncDashboard | null>();
const keptName = createKept<string>();
const keptApps = createKept<readonly string[]>();

/** Returns a dialog that creates a dashboard or changes the apps of one. */
export function useDashboardDialog(dashboards: readonly SyncDashboard[]) {
  const [isOpen, setIsOpen] = useKeptState(keptIsOpen, '', () => false);
  // Keeps its value while the dialog closes; null for a new dashboard.
  const [dashboard, setDashboard] = useKeptState(keptDashboard, '', () => null);
  const open = (next: SyncDashboard | null) => {
    setDashboard(next);
    setIsOpen(true);
  };
  const close = () => setIsOpen(false);
  const dialog = (
    <Modal
      opened={isOpen}
      onClose={close}
      title={dashboard === null ? 'Create a sync dashboard' : 'Update a sync dashboard'}
      size="lg"
      // An accidental click outside would lose the picked apps.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      {/* Inside the dialog, so that each opening starts with fresh state. */}
      <DashboardForm dashboard={dashboard} dashboards={dashboards} onClose={close} />
    </Modal>
  );
  return { create: () => open(null), update: open, dialog };
}

function DashboardForm(props: {
  dashboard: SyncDashboard | null;
  dashboards: readonly SyncDashboard[];
  onClose: () => void;
}) {
  const { dashboard, dashboards, onClose } = props;
  const isNew = dashboard === null;
  const save = useSaveDashboard();
  const form = dashboard?.name ?? '';
  const [name, setName] = useKeptState(keptName, form, () => form);
  const [picked, setPicked] = useKeptState(keptApps, form, () => dashboard?.appIds ?? []);
  const [isPicking, setIsPicking] = useState(isNew);
  const [attempts, setAttempts] = useState(0);
  const formRef = useRef<HTMLFormElement>(null);
  useFaultFocus(formRef, attempts);
  const [isAsking, setIsAsking] = useState(false);
  const problem = useMemo(() => (isNew ? findNameError(name, dashboards) : null), [isNew, name, dashboards]);
  // An empty name is reported only after the user tries to save.
  const shownProblem = name.trim() === '' && attempts === 0 ? null : problem;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAttempts(attempts + 1);
    if (problem !== null || save.isPending) return;
    if (picked.length === 0 && !isAsking) return setIsAsking(true);
    const from = isNew ? { isNew } : { before: dashboard.appIds };
    save.mutate({ name: name.trim(), appIds: [...picked], ...from }, { onSuccess: onClose });
  };
  return (
    <form ref={formRef} onSubmit={submit} className="stack-l">
      <TextInput
        label="Dashboard name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        readOnly={!isNew}
        {...(!isNew && { description: 'The name cannot be changed.' })}
        data-autofocus={isNew || undefined}
        maxLength={maxNameLength}
        autoComplete="off"
        error={shownProblem}
      />
      <AppPicker
        picked={picked}
        isPicking={isPicking}
        onChange={(appIds) => {
          setPicked(appIds);
          setIsAsking(false);
        }}
      />
      <p role="alert">{isAsking && 'Save without apps? The dashboard stays empty until you pick some.'}</p>
      <div className="buttons">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        {!isPicking && (
          <Button variant="default" onClick={() => setIsPicking(true)}>
            Repick Apps
          </Button>
        )}
        <Button type="submit" loading={save.isPending}>
          {isAsking ? 'Save without apps' : 'Save'}
        </Button>
      </div>
    </form>
  );
}

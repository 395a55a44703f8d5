import { maxPortalShifts, type PortalShift } from '@portal/contract/support-roster';
import { IconPencil, IconPlus, IconTrash, IconUpload } from '@tabler/icons-react';
import { useMemo } from 'react';
import { formatCount } from '../../format/numbers.ts';
import { createKept, useKeptState } from '../../session/use-kept-state.ts';
import { useSession } from '../../session/use-session.ts';
import { useKnownTeamRefusal } from '../../session/use-subject-refusal.ts';
import { ConfirmModal } from '../../ui/confirm-modal.tsx';
import { ExplainedButton } from '../../ui/explained-button.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import type { DataColumn } from '../../ui/table/data-table.types.ts';
import { ZoneTime } from '../../ui/zone-time.tsx';
import { ImportModal } from './import-modal.tsx';
import { ImportProgress } from './import-progress.tsx';
import { ShiftModal } from './shift-modal.tsx';
import styles from './support-roster.module.css';
import { usePortalShifts } from './use-roster.ts';
import { useShiftChanges } from './use-shift-changes.ts';

type Dialog = 'shift' | 'removal' | 'import';

const keptDialog = createKept<Dialog | null>();
const keptShift = createKept<PortalShift | null>();

const rowButtons = [
  { label: 'Change', Icon: IconPencil, opens: 'shift' },
  { label: 'Remove', Icon: IconTrash, opens: 'removal' },
] as const;

/** The shifts of a team managed in the portal, for all years, with the actions to change them. */
export function PortalShifts({ team }: { team: string }) {
  const { session } = useSession();
  const { timeZone } = session.environment;
  const knownRefusal = useKnownTeamRefusal('roster.change', team);
  const refusal = knownRefusal ?? null;
  const shifts = usePortalShifts(team);
  const [dialog, setDialog] = useKeptState(keptDialog, team, () => null);
  // Keeps its value while its dialog closes; null for a new shift.
  const [shift, setShift] = useKeptState(keptShift, team, () => null);
  const close = () => setDialog(null);
  const { save, remove, importCsv } = useShiftChanges(team, close);
  const columns = useMemo(() => getColumns(timeZone), [timeZone]);
  const ask = (target: PortalShift | null, next: Dialog) => {
    setShift(target);
    setDialog(next);
  };
  return (
    <div className={styles.section}>
      <div className={styles.head}>
        <h2>Shifts managed in the portal</h2>
        <span className={styles.rowActions} data-page-actions>
          <ExplainedButton
            leftSection={<IconPlus size={16} stroke={1.6} aria-hidden />}
            reason={refusal}
            onClick={() => ask(null, 'shift')}
          >
            Add shift
          </ExplainedButton>
          <ExplainedButton
            variant="default"
            leftSection={<IconUpload size={16} stroke={1.6} aria-hidden />}
            reason={refusal}
            onClick={() => {
              importCsv.reset();
              setDialog('import');
            }}
          >
            Import CSV
          </ExplainedButton>
        </span>
      </div>
      {knownRefusal === null && <ImportProgress team={team} />}
      {shifts.data && shifts.data.length >= maxPortalShifts && (
        <p>
          Showing the {formatCount(maxPortalShifts)} shifts with the latest start. Earlier shifts are stored but not
          listed.
        </p>
      )}
      {/* The table above states already that there are none. */}
      {shifts.data?.length !== 0 && (
        <DataTable
          name="Shifts"
          addressPrefix="shifts"
          rows={shifts.data}
          rowId={({ id }) => id}
          columns={columns}
          defaultSort={{ id: 'start', descending: true }}
          emptyText="This team has no shifts yet."
          loading={shifts.isFetching}
          error={shifts.error}
          onRetry={() => void shifts.refetch()}
          actions={(row) => (
            <span className={styles.rowActions}>
              {rowButtons.map(({ label, Icon, opens }) => (
                <ExplainedButton
                  key={label}
                  size="compact-sm"
                  variant="default"
                  leftSection={<Icon size={15} stroke={1.6} aria-hidden />}
                  aria-label={`${label} the shift of ${row.name}`}
                  reason={refusal}
                  onClick={() => ask(row, opens)}
                >
                  {label}
                </ExplainedButton>
              ))}
            </span>
          )}
        />
      )}
      <ShiftModal
        opened={dialog === 'shift'}
        onClose={close}
        shift={shift}
        timeZone={timeZone}
        pending={save.isPending}
        onSave={save.mutate}
      />
      <ConfirmModal
        opened={dialog === 'removal'}
        onClose={close}
        title="Remove this shift?"
        confirmLabel="Remove"
        danger
        pending={remove.isPending}
        onConfirm={() => shift && remove.mutate(shift)}
      >
        {shift && (
          <p>
            <strong>{shift.name}</strong> of <strong>{team}</strong>, <ZoneTime at={shift.start} timeZone={timeZone} />{' '}
            – <ZoneTime at={shift.end} timeZone={timeZone} />
          </p>
        )}
        <p>This leaves a gap unless someone else is on call at that time.</p>
      </ConfirmModal>
      <ImportModal
        opened={dialog === 'import'}
        onClose={close}
        team={team}
        timeZone={timeZone}
        pending={importCsv.isPending}
        problem={importCsv.error}
        onImport={importCsv.mutate}
      />
    </div>
  );
}

function getColumns(timeZone: string): readonly DataColumn<PortalShift>[] {
  return [
    { id: 'name', header: 'Name', value: ({ name }) => name },
    { id: 'number', header: 'Number', value: ({ number }) => number },
    {
      id: 'start',
      header: 'From',
      value: ({ start }) => start,
      cell: ({ start }) => <ZoneTime at={start} timeZone={timeZone} />,
    },
    {
      id: 'end',
      header: 'Until',
      value: ({ end }) => end,
      cell: ({ end }) => <ZoneTime at={end} timeZone={timeZone} />,
    },
  ];
}

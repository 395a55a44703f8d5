import { Skeleton } from '@mantine/core';
import { removeEntryPoint, undoConfigChange } from '@portal/contract/app-config';
import type { App } from '@portal/contract/apps';
import { isProduction } from '@portal/contract/environments';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { useRefusal, useSession } from '../../session/use-session.ts';
import { ConfirmModal } from '../../ui/confirm-modal.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import styles from './app-config.module.css';
import { AppSettings } from './app-settings.tsx';
import type { Effect } from './effects.ts';
import { EntryPointModal } from './entry-point-modal.tsx';
import { timeoutMinsOf } from './entry-points.ts';
import { LastChange } from './last-change.tsx';
import { TimeoutsTable } from './timeouts-table.tsx';
import { UndoButton } from './undo-button.tsx';
import { type ConfigChange, type useAppConfig, useConfigChange } from './use-app-config.ts';
import { useFunctionSuggestions } from './use-function-suggestions.ts';

type Dialog =
  | { readonly kind: 'entry-point'; readonly oldEntryPoint: string | null }
  | { readonly kind: 'remove'; readonly key: string }
  | { readonly kind: 'confirm'; readonly change: ConfigChange; readonly effect: Effect };

/** Entry points, the app's three settings and Undo: everything of the configuration that can be changed. */
export function TimeoutsTab({ app, load }: { app: App; load: ReturnType<typeof useAppConfig> }) {
  const { session } = useSession();
  const refusal = useRefusal('config.change');
  const changes = useConfigChange(app.id);
  // A dialog that closes keeps what it shows until it is gone.
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [opened, setOpened] = useState<Dialog['kind'] | null>(null);
  const events = useFunctionSuggestions(app.id, opened === 'entry-point');

  const config = load.data;
  const open = (next: Dialog) => {
    setDialog(next);
    setOpened(next.kind);
  };
  const close = () => setOpened(null);
  const makeAndClose = async (change: ConfigChange) => {
    if (await changes.make(change)) close();
  };
  /** In Production the effect is said before it happens; elsewhere Undo is enough. */
  const makeOrAsk = (change: ConfigChange, effect: Effect) =>
    isProduction(session.environment.name) ? open({ kind: 'confirm', change, effect }) : void changes.make(change);

  if (!config) {
    return load.isError ? (
      <ProblemNote problem={load.error} onRetry={() => void load.refetch()} />
    ) : (
      <SettingsSkeleton appName={app.name} />
    );
  }

  const timeoutMinsByKey = config.processEntryPointTimeouts;
  const undoable = config.undoable ?? null;
  const reason = refusal ?? (changes.pending === null ? null : 'A change is being made.');
  return (
    <>
      {load.isError && <ProblemNote problem={load.error} keptData onRetry={() => void load.refetch()} />}
      <div className={styles.bar}>
        <LastChange appId={app.id} change={config.lastChange ?? null} wasOvertaken={changes.wasOvertaken} />
        <UndoButton
          undoable={undoable}
          reason={reason}
          pending={changes.pending === 'undo'}
          onUndo={() =>
            makeOrAsk(
              { control: 'undo', send: (about) => call(undoConfigChange, about) },
              { title: 'Undo the last change?', verb: 'Undo', sentences: [`Reverts: ${undoable?.description ?? ''}`] },
            )
          }
        />
      </div>
      <AppSettings config={config} reason={refusal} pending={changes.pending} onChange={makeOrAsk} />
      <TimeoutsTable
        timeoutMinsByKey={timeoutMinsByKey}
        appName={app.name}
        reason={reason}
        onNew={() => open({ kind: 'entry-point', oldEntryPoint: null })}
        onUpdate={(oldEntryPoint) => open({ kind: 'entry-point', oldEntryPoint })}
        onRemove={(key) => open({ kind: 'remove', key })}
      />
      <EntryPointModal
        opened={opened === 'entry-point'}
        onClose={close}
        oldEntryPoint={dialog?.kind === 'entry-point' ? dialog.oldEntryPoint : null}
        timeoutMinsByKey={timeoutMinsByKey}
        events={events}
        pending={changes.pending !== null}
        onSave={(change) => void makeAndClose(change)}
      />
      <ConfirmModal
        opened={opened === 'remove'}
        onClose={close}
        title="Remove entry point"
        confirmLabel="Remove"
        danger
        pending={changes.pending !== null}
        onConfirm={() => {
          if (dialog?.kind !== 'remove') return;
          const { key } = dialog;
          const expected = timeoutMinsOf(timeoutMinsByKey, key);
          void makeAndClose({
            control: 'entry-point',
            send: (about) => call(removeEntryPoint, { ...about, entryPoint: key, duration: 0, expected }),
          });
        }}
      >
        <p>
          Are you sure you want to remove the entry point {dialog?.kind === 'remove' ? dialog.key : ''} from the App
          Config?
        </p>
        <p>This action cannot be undone.</p>
      </ConfirmModal>
      <ConfirmModal
        opened={opened === 'confirm'}
        onClose={close}
        title={dialog?.kind === 'confirm' ? dialog.effect.title : ''}
        confirmLabel={dialog?.kind === 'confirm' ? dialog.effect.verb : ''}
        danger
        pending={changes.pending !== null}
        onConfirm={() => dialog?.kind === 'confirm' && void makeAndClose(dialog.change)}
      >
        <p>
          <strong>{app.name}</strong> in <strong>{session.environment.name}</strong>
        </p>
        {dialog?.kind === 'confirm' && dialog.effect.sentences.map((sentence) => <p key={sentence}>{sentence}</p>)}
      </ConfirmModal>
    </>
  );
}

function SettingsSkeleton({ appName }: { appName: string }) {
  return (
    <>
      <div className={styles.bar}>
        <Skeleton height={20} width="40%" />
      </div>
      <div className={styles.settings}>
        {['state', 'logins', 'maximum'].map((setting) => (
          <Skeleton key={setting} height={76} />
        ))}
      </div>
      <TimeoutsTable
        timeoutMinsByKey={undefined}
        appName={appName}
        reason="The configuration is being loaded."
        onNew={() => {}}
        onUpdate={() => {}}
        onRemove={() => {}}
      />
    </>
  );
}

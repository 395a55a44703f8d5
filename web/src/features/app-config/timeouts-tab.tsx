import { Skeleton } from '@mantine/core';
import { removeEntryPoint, undoConfigChange } from '@portal/contract/app-config';
import type { App } from '@portal/contract/apps';
import { isProduction } from '@portal/contract/environments';
import { useCallback, useEffect } from 'react';
import { call } from '../../api/call.ts';
import { createKept, useKeptState } from '../../session/use-kept-state.ts';
import { useSession } from '../../session/use-session.ts';
import { useKnownAppRefusal } from '../../session/use-subject-refusal.ts';
import { useAddress } from '../../state/use-address.ts';
import { showProblem, showSuccess } from '../../ui/popups.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import styles from './app-config.module.css';
import { AppSettings } from './app-settings.tsx';
import { EffectModal } from './changes/effect-modal.tsx';
import type { Effect } from './changes/effects.ts';
import { LastChange } from './changes/last-change.tsx';
import { describeState, getRequestedChange } from './changes/state-changes.ts';
import { UndoButton } from './changes/undo-button.tsx';
import { EntryPointModal } from './entry-points/entry-point-modal.tsx';
import { getTimeoutMins } from './entry-points/entry-points.ts';
import { RemoveEntryPointModal } from './entry-points/remove-entry-point-modal.tsx';
import { useFunctionSuggestions } from './entry-points/use-function-suggestions.ts';
import { TimeoutsTable } from './timeouts-table.tsx';
import { type ConfigChange, formRefreshMs, useAppConfig, useConfigChange } from './use-app-config.ts';

type Dialog =
  | { readonly kind: 'entry-point'; readonly oldEntryPoint: string | null }
  | { readonly kind: 'remove'; readonly key: string; readonly expected: number | null }
  | { readonly kind: 'confirm'; readonly change: ConfigChange; readonly effect: Effect };

const keptDialog = createKept<Dialog | null>();
const keptOpened = createKept<Dialog['kind'] | null>();

/**
 * Everything in the configuration that can be changed: entry points, the three app settings and
 * Undo.
 */
export function TimeoutsTab({ app, load }: { app: App; load: ReturnType<typeof useAppConfig> }) {
  const { session } = useSession();
  const knownRefusal = useKnownAppRefusal('config.change', app.id);
  const refusal = knownRefusal ?? null;
  const changes = useConfigChange(app.id);
  // Keeps its content until the dialog has closed.
  const [dialog, setDialog] = useKeptState(keptDialog, app.id, () => null);
  const [opened, setOpened] = useKeptState(keptOpened, app.id, () => null);
  useAppConfig(app.id, opened === 'entry-point', formRefreshMs);
  const events = useFunctionSuggestions(app.id, opened === 'entry-point');

  const config = load.data;
  const open = useCallback(
    (next: Dialog) => {
      setDialog(next);
      setOpened(next.kind);
    },
    [setDialog, setOpened],
  );
  // Never carried out without a confirmation or Save, because anyone can write a link.
  const [{ change: requested }, changeAddress] = useAddress();
  useEffect(() => {
    if (requested === undefined || config === undefined || knownRefusal === undefined) return;
    changeAddress(({ change: _, ...rest }) => rest);
    if (knownRefusal !== null) return void showProblem('Nothing was changed', knownRefusal);
    if (requested === 'new-entry-point') return open({ kind: 'entry-point', oldEntryPoint: null });
    const found = getRequestedChange(requested, config);
    if (found) return open({ kind: 'confirm', ...found });
    const state = describeState(requested);
    if (state !== null) showSuccess('Nothing to change', `${app.name} is already ${state}.`);
  }, [requested, config, knownRefusal, changeAddress, open, app.name]);
  const close = () => setOpened(null);
  /** Closes the form only after a successful save. */
  const saveAndClose = async (change: ConfigChange) => {
    if (await changes.apply(change)) close();
  };
  /** Closes in any case: after a failure, the question may no longer apply. */
  const applyAndClose = async (change: ConfigChange) => {
    await changes.apply(change);
    close();
  };
  const remove = ({ key, expected }: { key: string; expected: number | null }) =>
    applyAndClose({
      control: 'entry-point',
      send: (context) => call(removeEntryPoint, { ...context, entryPoint: key, duration: 0, expected }),
    });
  /** Confirms changes in Production; elsewhere Undo is enough. */
  const applyOrConfirm = (change: ConfigChange, effect: Effect) =>
    isProduction(session.environment.name) ? open({ kind: 'confirm', change, effect }) : void changes.apply(change);

  if (!config) {
    return load.isError ? (
      <ProblemNote problem={load.error} onRetry={() => void load.refetch()} />
    ) : (
      <SettingsSkeleton appName={app.name} />
    );
  }

  const timeoutMinsByKey = config.processEntryPointTimeouts;
  const undoable = config.undoable ?? null;
  const reason = refusal ?? (changes.pending === null ? null : 'Another change is being saved.');
  return (
    <>
      {load.isError && <ProblemNote problem={load.error} hasStaleData onRetry={() => void load.refetch()} />}
      <div className={styles.bar} data-page-actions>
        <LastChange appId={app.id} change={config.lastChange ?? null} isSuperseded={changes.isSuperseded} />
        <UndoButton
          undoable={undoable}
          reason={reason}
          pending={changes.pending === 'undo'}
          onUndo={() =>
            applyOrConfirm(
              { control: 'undo', send: (context) => call(undoConfigChange, context) },
              {
                title: 'Undo the last change?',
                confirmLabel: 'Undo',
                sentences: [`Reverts: ${undoable?.description ?? ''}`],
              },
            )
          }
        />
      </div>
      <AppSettings config={config} reason={refusal} pending={changes.pending} onChange={applyOrConfirm} />
      <TimeoutsTable
        timeoutMinsByKey={timeoutMinsByKey}
        appName={app.name}
        canSet={knownRefusal === null}
        reason={reason}
        onNew={() => open({ kind: 'entry-point', oldEntryPoint: null })}
        onUpdate={(oldEntryPoint) => open({ kind: 'entry-point', oldEntryPoint })}
        onRemove={(key) => open({ kind: 'remove', key, expected: getTimeoutMins(timeoutMinsByKey, key) })}
      />
      <EntryPointModal
        opened={opened === 'entry-point'}
        onClose={close}
        appId={app.id}
        oldEntryPoint={dialog?.kind === 'entry-point' ? dialog.oldEntryPoint : null}
        timeoutMinsByKey={timeoutMinsByKey}
        events={events}
        pending={changes.pending !== null}
        onSave={(change) => void saveAndClose(change)}
      />
      <RemoveEntryPointModal
        entryPoint={dialog?.kind === 'remove' ? dialog.key : ''}
        opened={opened === 'remove'}
        pending={changes.pending !== null}
        onClose={close}
        onConfirm={() => dialog?.kind === 'remove' && void remove(dialog)}
      />
      <EffectModal
        apps={[app]}
        effect={dialog?.kind === 'confirm' ? dialog.effect : null}
        opened={opened === 'confirm'}
        pending={changes.pending !== null}
        onClose={close}
        onConfirm={() => dialog?.kind === 'confirm' && void applyAndClose(dialog.change)}
      />
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
          <Skeleton key={setting} height={70} />
        ))}
      </div>
      <TimeoutsTable
        timeoutMinsByKey={undefined}
        appName={appName}
        canSet={false}
        reason="The configuration is loading."
        onNew={() => {}}
        onUpdate={() => {}}
        onRemove={() => {}}
      />
    </>
  );
}

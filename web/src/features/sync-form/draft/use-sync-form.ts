import type { App } from '@portal/contract/apps';
import type { ConfigProblem, SyncConfig } from '@portal/contract/sync-config';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { sessionState } from '../../../session/session-store.ts';
import { useSession } from '../../../session/use-session.ts';
import { compareFields, getChanges } from './changes.ts';
import { checkDraft } from './check-draft.ts';
import { type Draft, paths, rebase, toConfig, toDraft, withEnrollment } from './draft.ts';
import { clearUnsaved, getUnsaved, storeUnsaved } from './unsaved.ts';

/** What the form is filled from. */
export interface Origin {
  readonly app: Pick<App, 'id' | 'name' | 'schemaName'>;
  readonly dataSource: string;
  readonly config: SyncConfig;
  /** null: a new one. */
  readonly integration: SyncIntegration | null;
}

/**
 * The form's state. A later `origin` is somebody else's save: it is told of, and taken over when
 * the user says so.
 */
export function useSyncForm(origin: Origin) {
  const isNew = origin.integration === null;
  const [loadedConfig, setLoadedConfig] = useState(origin.config);
  const base = useMemo(() => toDraft(loadedConfig), [loadedConfig]);
  const { environment, username } = useSession().session;
  const unsavedKey = JSON.stringify([environment.name, username, origin.app.id, isNew]);
  const [restored] = useState(() => getUnsaved(unsavedKey));
  const [draft, setDraft] = useState<Draft>(restored ? rebase(restored.base, restored.draft, base) : base);
  const [responseProblems, setResponseProblems] = useState<readonly ConfigProblem[]>([]);
  const [showsAllProblems, setShowsAllProblems] = useState(false);
  const draftProblems = useMemo(() => checkDraft(draft, isNew ? null : base), [draft, base, isNew]);
  const changes = useMemo(() => getChanges(base, draft), [base, draft]);

  const isChanged = changes.length > 0;
  useEffect(() => {
    if (isChanged) storeUnsaved(unsavedKey, base, draft);
    else clearUnsaved();
  }, [unsavedKey, base, draft, isChanged]);
  useEffect(
    () => () => {
      // Who leaves the form leaves what was typed; whose session ends does not.
      if (sessionState.get().phase === 'signed-in') clearUnsaved();
    },
    [],
  );

  /** Only of fields somebody has touched, until they want to save. */
  const shown = draftProblems.filter(
    ({ field }) => showsAllProblems || draft[findPath(draft, field)] !== base[findPath(draft, field)],
  );
  const problems = [...responseProblems, ...shown];
  return {
    draft,
    isNew,
    /** Whether it is filled with what was typed before the session ended. */
    isRestored: restored !== null,
    draftProblems,
    problems,
    changes,
    /** All that a save would store, where there is nothing yet. */
    savedChanges: isNew ? getChanges(null, draft) : changes,
    isStale: origin.config.basedOn !== loadedConfig.basedOn,
    /** What is changed here beside what somebody else has saved. */
    comparisons: compareFields(base, draft, toDraft(origin.config)),
    value: (path: string) => String(draft[path] ?? ''),
    isOn: (path: string) => draft[path] === true,
    getError: (path: string) => problems.find(({ field }) => isAboutPath(path, field))?.reason ?? null,
    /** Its problems of an answer are of the text it had. */
    change(values: Draft) {
      setDraft((current) => ({ ...current, ...values }));
      setResponseProblems((problems) =>
        problems.filter(({ field }) => !Object.keys(values).some((path) => isAboutPath(path, field))),
      );
    },
    changeEnrollment(next: SyncConfig['journeyToHeliumEnrollment']) {
      setDraft((current) => withEnrollment(current, next));
      setResponseProblems((problems) => problems.filter(({ field }) => !isAboutPath(paths.enrollment, field)));
    },
    setResponseProblems,
    showAllProblems: () => setShowsAllProblems(true),
    readConfig: () => toConfig(draft, isNew ? null : loadedConfig.basedOn),
    loadSaved(keepMine: boolean) {
      const saved = toDraft(origin.config);
      setDraft(keepMine ? rebase(base, draft, saved) : saved);
      setLoadedConfig(origin.config);
      setResponseProblems([]);
    },
  };
}

export type SyncForm = ReturnType<typeof useSyncForm>;

/** Problems of a list name the entry: 'heliumToJourney.changeLogSkipTables.2'. */
function isAboutPath(path: string, field: string): boolean {
  return field === path || field.startsWith(`${path}.`);
}

/** The field of the form a problem is about. */
export function findPath(draft: Draft, field: string): string {
  return Object.keys(draft).find((path) => isAboutPath(path, field)) ?? field;
}

export const SyncFormContext = createContext<{ readonly form: SyncForm; readonly refusal: string | null } | null>(null);

/** Only inside the form; elsewhere it throws. */
export function useForm() {
  const context = useContext(SyncFormContext);
  if (context === null) throw new Error('There is no sync form here.');
  return context;
}

import type { App } from '@portal/contract/apps';
import type { ConfigProblem, SyncConfig } from '@portal/contract/sync/config';
import type { SyncIntegration } from '@portal/contract/sync/integration';
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
  /** null for a new integration. */
  readonly integration: SyncIntegration | null;
}

/**
 * Holds the state of the form. A later `origin` is another user's save: the form reports it and
 * loads it when the user asks to.
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
      // Leaving the form discards the draft; a session that ends keeps it.
      if (sessionState.get().phase === 'signed-in') clearUnsaved();
    },
    [],
  );

  /** Only the problems of changed fields, until the user tries to save. */
  const shown = draftProblems.filter(
    ({ field }) => showsAllProblems || draft[findPath(draft, field)] !== base[findPath(draft, field)],
  );
  const problems = [...responseProblems, ...shown];
  const basedOn = isNew ? null : loadedConfig.basedOn;
  return {
    draft,
    isNew,
    /** Whether it was filled with an unsaved draft from before the session ended. */
    isRestored: restored !== null,
    draftProblems,
    problems,
    changes,
    /** What a save would store: the changes, or every field of a new configuration. */
    savedChanges: isNew ? getChanges(null, draft) : changes,
    storedEnrollment: loadedConfig.journeyToHeliumEnrollment,
    isStale: origin.config.basedOn !== loadedConfig.basedOn,
    /** The changes here compared with those another user has saved. */
    comparisons: compareFields(base, draft, toDraft(origin.config)),
    value: (path: string) => String(draft[path] ?? ''),
    isOn: (path: string) => draft[path] === true,
    getError: (path: string) => problems.find(({ field }) => isAboutPath(path, field))?.reason ?? null,
    /** Changes fields, and drops the server's problems with their former values. */
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
    /** The version that a save replaces; null for a new integration. */
    basedOn,
    readConfig: () => toConfig(draft, basedOn),
    loadSaved(keepMine: boolean) {
      const saved = toDraft(origin.config);
      setDraft(keepMine ? rebase(base, draft, saved) : saved);
      setLoadedConfig(origin.config);
      setResponseProblems([]);
    },
  };
}

export type SyncForm = ReturnType<typeof useSyncForm>;

/**
 * Whether a problem belongs to the field. A problem of a list names the entry:
 * 'heliumToJourney.changeLogSkipTables.2'.
 */
function isAboutPath(path: string, field: string): boolean {
  return field === path || field.startsWith(`${path}.`);
}

/** Returns the path of the form field a problem is about. */
export function findPath(draft: Draft, field: string): string {
  return Object.keys(draft).find((path) => isAboutPath(path, field)) ?? field;
}

export const SyncFormContext = createContext<{ readonly form: SyncForm; readonly refusal: string | null } | null>(null);

/** Returns the form. Throws outside of a sync form. */
export function useForm() {
  const context = useContext(SyncFormContext);
  if (context === null) throw new Error('useForm must be used inside a sync form.');
  return context;
}

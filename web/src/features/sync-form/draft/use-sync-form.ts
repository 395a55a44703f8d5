import type { App } from '@portal/contract/apps';
import type { ConfigProblem, SyncConfig } from '@portal/contract/sync-config';
import type { SyncIntegration } from '@portal/contract/sync-integration';
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { sessionState } from '../../../session/session-store.ts';
import { useSession } from '../../../session/use-session.ts';
import { changesOf, rivalriesOf } from './changes.ts';
import { checkDraft } from './check-draft.ts';
import { configOf, type Draft, draftOf, paths, rebase, withEnrollment } from './draft.ts';
import { forgetUnsaved, keepUnsaved, unsavedOf } from './unsaved.ts';

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
  const [start, setStart] = useState(origin.config);
  const base = useMemo(() => draftOf(start), [start]);
  const { environment, username } = useSession().session;
  const name = JSON.stringify([environment.name, username, origin.app.id, isNew]);
  const [restored] = useState(() => unsavedOf(name));
  const [draft, setDraft] = useState<Draft>(restored ? rebase(restored.base, restored.draft, base) : base);
  const [answered, setAnswered] = useState<readonly ConfigProblem[]>([]);
  const [showsAll, setShowsAll] = useState(false);
  const live = useMemo(() => checkDraft(draft, isNew ? null : base), [draft, base, isNew]);
  const changes = useMemo(() => changesOf(base, draft), [base, draft]);

  const isChanged = changes.length > 0;
  useEffect(() => {
    if (isChanged) keepUnsaved(name, base, draft);
    else forgetUnsaved();
  }, [name, base, draft, isChanged]);
  useEffect(
    () => () => {
      // Who leaves the form leaves what was typed; whose session ends does not.
      if (sessionState.get().phase === 'signed-in') forgetUnsaved();
    },
    [],
  );

  /** Only of fields somebody has touched, until they want to save. */
  const shown = live.filter(({ field }) => showsAll || draft[pathAt(draft, field)] !== base[pathAt(draft, field)]);
  const problems = [...answered, ...shown];
  return {
    draft,
    isNew,
    /** Whether it is filled with what was typed before the session ended. */
    isRestored: restored !== null,
    live,
    problems,
    changes,
    /** All that a save would store, where there is nothing yet. */
    difference: isNew ? changesOf(null, draft) : changes,
    isOvertaken: origin.config.basedOn !== start.basedOn,
    /** What is changed here beside what somebody else has saved. */
    rivalries: rivalriesOf(base, draft, draftOf(origin.config)),
    value: (path: string) => String(draft[path] ?? ''),
    isOn: (path: string) => draft[path] === true,
    faultAt: (path: string) => problems.find(({ field }) => isAt(path, field))?.reason ?? null,
    /** Its problems of an answer are of the text it had. */
    change(values: Draft) {
      setDraft((current) => ({ ...current, ...values }));
      setAnswered((problems) => problems.filter(({ field }) => !Object.keys(values).some((path) => isAt(path, field))));
    },
    changeEnrollment(next: SyncConfig['journeyToHeliumEnrollment']) {
      setDraft((current) => withEnrollment(current, next));
      setAnswered((problems) => problems.filter(({ field }) => !isAt(paths.enrollment, field)));
    },
    answer: setAnswered,
    showAll: () => setShowsAll(true),
    read: () => configOf(draft, isNew ? null : start.basedOn),
    takeOver(keepsMine: boolean) {
      const saved = draftOf(origin.config);
      setDraft(keepsMine ? rebase(base, draft, saved) : saved);
      setStart(origin.config);
      setAnswered([]);
    },
  };
}

export type SyncForm = ReturnType<typeof useSyncForm>;

/** Problems of a list name the entry: 'heliumToJourney.changeLogSkipTables.2'. */
function isAt(path: string, field: string): boolean {
  return field === path || field.startsWith(`${path}.`);
}

/** The field of the form a problem is about. */
export function pathAt(draft: Draft, field: string): string {
  return Object.keys(draft).find((path) => isAt(path, field)) ?? field;
}

export const SyncFormContext = createContext<{ readonly form: SyncForm; readonly refusal: string | null } | null>(null);

/** Only inside the form; elsewhere it throws. */
export function useForm() {
  const context = useContext(SyncFormContext);
  if (context === null) throw new Error('There is no sync form here.');
  return context;
}

import { maskedPassword } from '@portal/contract/sync/config';
import { getLabel } from '../../../sync/field-labels.ts';
import { type Draft, paths, rebase } from './draft.ts';

export interface Change {
  readonly path: string;
  readonly label: string;
  /** null when the field was absent or empty. */
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Returns what a save would change, in the order of the form. With null, returns every filled-in
 * field.
 */
export function getChanges(before: Draft | null, after: Draft): Change[] {
  return getPaths(after, before ?? {}).flatMap((path) => {
    const [old, now] = [before?.[path], after[path]];
    if ((old ?? '') === (now ?? '')) return [];
    if (path === paths.password)
      return [{ path, label: getLabel(path), before: before ? maskedPassword : null, after: 'new password' }];
    return [{ path, label: getLabel(path), before: formatDraftValue(path, old), after: formatDraftValue(path, now) }];
  });
}

export interface FieldComparison {
  readonly path: string;
  readonly label: string;
  /**
   * The value another user has saved, and the value in the form. undefined: not changed on that
   * side; null: empty.
   */
  readonly theirs: string | null | undefined;
  readonly mine: string | null | undefined;
  /** Whose value the merged form has. */
  readonly winner: 'theirs' | 'mine';
}

/**
 * Compares the edits of two users of the same configuration field by field, merged the way `rebase`
 * does.
 */
export function compareFields(base: Draft, draft: Draft, next: Draft): FieldComparison[] {
  const theirs = new Map(getChanges(base, next).map((change) => [change.path, change]));
  const mine = new Map(getChanges(base, draft).map((change) => [change.path, change]));
  const merged = rebase(base, draft, next);
  return getPaths(draft, next, base).flatMap((path) => {
    const [theirChange, myChange] = [theirs.get(path), mine.get(path)];
    if (!theirChange && !myChange) return [];
    const isMine = myChange !== undefined && (merged[path] ?? '') === (draft[path] ?? '');
    return [
      {
        path,
        label: getLabel(path),
        theirs: theirChange?.after,
        mine: myChange?.after,
        winner: isMine ? 'mine' : 'theirs',
      },
    ];
  });
}

function getPaths(...drafts: readonly Draft[]): string[] {
  return [...new Set(drafts.flatMap((draft) => Object.keys(draft)))];
}

/** The choices by field. Any other field may contain the same text as a name. */
const choiceLabels: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'conflictPolicy',
    new Map([
      ['later', 'the later change wins'],
      ['helium', 'Helium wins'],
      ['journey', 'Journey wins'],
    ]),
  ],
  [
    `${paths.enrollment}.type`,
    new Map([
      ['user', 'Single device per user'],
      ['session', 'Multiple devices per user'],
    ]),
  ],
]);

function formatDraftValue(path: string, value: string | boolean | undefined): string | null {
  if (value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return choiceLabels.get(path)?.get(value) ?? value;
}

import { maskedPassword } from '@portal/contract/sync-config';
import { labelOf } from '../fields/field-labels.ts';
import { type Draft, paths, rebase } from './draft.ts';

export interface Change {
  readonly path: string;
  readonly label: string;
  /** null: not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * What a save would change, in the order of the form; everything that is filled in where there is
 * nothing yet.
 */
export function changesOf(before: Draft | null, after: Draft): Change[] {
  return pathsOf(after, before ?? {}).flatMap((path) => {
    const [old, now] = [before?.[path], after[path]];
    if ((old ?? '') === (now ?? '')) return [];
    if (path === paths.password)
      return [{ path, label: labelOf(path), before: before ? maskedPassword : null, after: 'a new one' }];
    return [{ path, label: labelOf(path), before: textOf(old), after: textOf(now) }];
  });
}

export interface Rivalry {
  readonly path: string;
  readonly label: string;
  /**
   * As somebody else has saved it, and as it stands in the form; undefined for who left it alone,
   * null: not there.
   */
  readonly theirs: string | null | undefined;
  readonly mine: string | null | undefined;
  /** Whose it is when both are put together. */
  readonly winner: 'theirs' | 'mine';
}

/**
 * What two people made of the same configuration, field by field; put together as `rebase` does.
 */
export function rivalriesOf(base: Draft, draft: Draft, next: Draft): Rivalry[] {
  const theirs = new Map(changesOf(base, next).map((change) => [change.path, change]));
  const mine = new Map(changesOf(base, draft).map((change) => [change.path, change]));
  const together = rebase(base, draft, next);
  return pathsOf(draft, next, base).flatMap((path) => {
    const [their, my] = [theirs.get(path), mine.get(path)];
    if (!their && !my) return [];
    const isMine = my !== undefined && (together[path] ?? '') === (draft[path] ?? '');
    return [{ path, label: labelOf(path), theirs: their?.after, mine: my?.after, winner: isMine ? 'mine' : 'theirs' }];
  });
}

function pathsOf(...drafts: readonly Draft[]): string[] {
  return [...new Set(drafts.flatMap((draft) => Object.keys(draft)))];
}

const policies: Readonly<Record<string, string>> = {
  later: 'the later change wins',
  helium: 'Helium wins',
  journey: 'Journey wins',
  user: 'Single device per user',
  session: 'Multiple devices per user',
};

function textOf(value: string | boolean | undefined): string | null {
  if (value === undefined || value === '') return null;
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : (policies[value] ?? value);
}

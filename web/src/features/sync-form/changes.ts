import { maskedPassword } from '@portal/contract/sync-config';
import { type Draft, paths } from './draft.ts';
import { labelOf } from './field-labels.ts';

export interface Change {
  readonly path: string;
  readonly label: string;
  /** null: not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** What a save would change, in the order of the form; everything that is filled in where there is nothing yet. */
export function changesOf(before: Draft | null, after: Draft): Change[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before ?? {})])].flatMap((path) => {
    const [old, now] = [before?.[path], after[path]];
    if ((old ?? '') === (now ?? '')) return [];
    if (path === paths.password)
      return [{ path, label: labelOf(path), before: before ? maskedPassword : null, after: 'a new one' }];
    return [{ path, label: labelOf(path), before: textOf(old), after: textOf(now) }];
  });
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

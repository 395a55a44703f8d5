import { SqlView } from '../../../ui/sql-view.tsx';

/** Statements as one text, to be read and copied; nothing where there are none. */
export function ActionList({ actions, label }: { actions: readonly string[]; label: string }) {
  return actions.length === 0 ? null : <SqlView sql={actions.join('\n')} label={label} maxHeight={300} />;
}

import { SqlView } from '../../../ui/sql-view.tsx';

/** Shows statements as one text to read and copy, or nothing if there are none. */
export function ActionList({ actions, label }: { actions: readonly string[]; label: string }) {
  return actions.length === 0 ? null : <SqlView sql={actions.join('\n')} label={label} maxHeight={300} />;
}

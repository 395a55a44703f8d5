import type { FoundRecord, SearchedObject } from '@portal/contract/sync/find';
import styles from './find-record.module.css';
import { RecordLinks, type RecordName } from './record-links.tsx';

/** States which sides have a record, what would bring it to the other, and what waits for it. */
export function Whereabouts(props: {
  record: FoundRecord;
  object: SearchedObject | undefined;
  onFind: (record: RecordName) => void;
}) {
  const { record, object, onFind } = props;
  const text = describeWhereabouts(record, object);
  const { waitedForBy } = record;
  if (text === null && waitedForBy.length === 0) return null;
  return (
    <p className={styles.whereabouts}>
      {text}
      {waitedForBy.length > 0 && (
        <>
          {' '}
          {waitedForBy.length === 1 ? 'One record waits for it: ' : 'These records wait for it: '}
          <RecordLinks names={waitedForBy.map(({ table, id }) => `${table}/${id}`)} onFind={onFind} />.
        </>
      )}
    </p>
  );
}

/** Returns null when both sides have the record, or it is not known. */
function describeWhereabouts(record: FoundRecord, object: SearchedObject | undefined): string | null {
  const { helium, journey, held, known, table, model } = record;
  if (helium.problem !== null || journey.problem !== null) return null;
  const [isInHelium, isInJourney] = [helium.values !== null, journey.values !== null];
  if (isInHelium && isInJourney) return null;
  if (!isInHelium && !isInJourney) {
    const deleted = known !== null && known.deletedAt !== null ? ' It was deleted.' : '';
    return `Neither side has it.${deleted} It arrives when a device uploads a ${model} with this id, or Helium gets a row of ${table} with it.`;
  }
  const [here, there] = isInHelium ? ['Helium', 'Journey'] : ['Journey', 'Helium'];
  const isSynced = isInHelium ? object?.toJourney : object?.toHelium;
  if (isSynced === false)
    return `Only ${here} has it: changes of ${isInHelium ? table : model} are not synced to ${there}.`;
  if (held.length > 0) return `Only ${here} has it. It reaches ${there} once the problem below is resolved.`;
  return `Only ${here} has it. If it does not reach ${there} within a minute, “Look again” reads both sides and sends it.`;
}

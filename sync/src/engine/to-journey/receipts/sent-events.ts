import type { TrailEvent } from '@portal/contract/sync/trail';
import type { JourneyOutcome } from '../../../journey/journey-gateway.ts';
import type { KeyMap } from '../../../record/record-key.ts';
import type { RecordEvent } from '../../../sync-state/trail.store.ts';
import type { PlannedWrite } from '../planner/plan-record.ts';

/** Lists what happened to the records of a page that was sent, for the trail. */
export function listSentEvents(planned: readonly PlannedWrite[], outcomes: KeyMap<JourneyOutcome>): RecordEvent[] {
  const events: RecordEvent[] = [];
  for (const write of planned) {
    const event = findEvent(write, outcomes.get(write.key));
    if (event !== null) events.push({ key: write.key, event });
  }
  return events;
}

function findEvent({ method, held }: PlannedWrite, outcome: JourneyOutcome | undefined): TrailEvent | null {
  switch (outcome?.status) {
    case 'done':
      return method === 'delete' ? 'deleted in Journey' : 'sent';
    case 'missing':
      return 'not in Journey';
    case 'refused':
      return 'rejected by Journey';
    case 'undecided':
      // It is sent again at once in a smaller call, or has been waiting since an earlier attempt.
      return outcome.fault === 'call' || held?.state === 'waiting' ? null : 'waiting for Journey';
    default:
      return null;
  }
}

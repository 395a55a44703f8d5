/** Journey → Helium: one record, as Journey has it now. For the loop alone that applies the op-log. */
import type { RecordKey } from '../engine/record-key.ts';
import { carryEntries } from './carry-entries.ts';
import { goneNow } from './gone-now.ts';
import { idBefore } from './id-before.ts';
import type { IntegrationRun } from './integration-run.ts';
import { mapOf } from './pump.ts';

export async function lookAgain(on: IntegrationRun, key: RecordKey): Promise<void> {
  const map = mapOf(on.pump, key.table);
  if (!map) return;
  const [entry] = await on.run.slot(() => on.pump.journey.listAfter(map, idBefore(key.id), 1, on.run.signal));
  const found = entry?.key.id === key.id ? entry : undefined;
  await carryEntries(on, [found ?? goneNow(key)], { isListing: true });
}

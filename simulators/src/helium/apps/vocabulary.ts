/**
 * Building blocks that the app definitions share: place names, common failures, and limits on table
 * size.
 */
import type { FunctionDefinition } from '../definition.ts';
import type { FunctionBody } from '../function-run.ts';
import { JavaException } from '../java-exception.ts';
import { inTurn, joined, pick, type Seed } from '../model.ts';

export const now = `now() at time zone 'UTC'`;

export function scheduled(qualifiedName: string, schedule: string, body: FunctionBody): FunctionDefinition {
  const [unit = '', event = ''] = qualifiedName.split(':');
  return { unit, event, schedule, body };
}

export const provinces: Seed = inTurn(
  'Eastern',
  'Southern',
  'Copperbelt',
  'Lusaka',
  'Gauteng',
  'Limpopo',
  'KwaZulu-Natal',
  'Free State',
  'Western Cape',
);

const towns = [
  'Chipata',
  'Mongu',
  'Kabwe',
  'Choma',
  'Solwezi',
  'Soweto',
  'Polokwane',
  'Upington',
  'Giyani',
  'Mbabane',
  'Kitwe',
  'Ndola',
  'Ulundi',
  'Thohoyandou',
  'Bethlehem',
];

export const town: Seed = pick(...towns);

/** Such as "Chipata North Clinic". */
export const placeName = (...kinds: readonly string[]): Seed =>
  joined(town, ' ', pick('North', 'South', 'East', 'West', 'Central', 'Hill', 'River', 'Mission'), ' ', pick(...kinds));

/** Deletes all but the newest rows, to limit tables that are written every minute. */
export function allButNewest(table: string, count: number): string {
  return `delete from ${table} where _id_ in (select _id_ from ${table} order by _tstamp_ desc offset ${count})`;
}

export function outboundTimeout(system: string): JavaException {
  return new JavaException(
    'com.mezzanineware.dsl.runtime.http.OutboundApiException',
    `Outbound API call to ${system} failed after 12 seconds`,
    new JavaException('java.net.SocketTimeoutException', 'Read timed out'),
  );
}

export function nullAttribute(attribute: string): JavaException {
  return new JavaException('java.lang.NullPointerException', `Cannot read attribute "${attribute}" of null`);
}

import type { ScheduledEventsDialect } from '../helium/dialect/dialect.config.ts';
import { isJsonObject, type JsonObject, readPath } from '../helium/dialect/json-path.ts';
import { areTexts, areTextsOrNull, collectValues, findList, matchFields } from './match-fields.ts';
import { findSpelling } from './spellings.ts';

const qualifiedName = /^[^\s:]+:[^\s:]+$/;

/**
 * Returns the dialect in which the scheduled functions can be read, as far as names and values
 * show.
 *
 * @param documents the lists of several apps, because one app may have no functions.
 */
export function suggestScheduledEvents(
  current: ScheduledEventsDialect,
  documents: readonly unknown[],
): ScheduledEventsDialect {
  const list = documents.every((document) => Array.isArray(readPath(document, current.list)))
    ? current.list
    : documents.map(findList).find((position) => position !== undefined);
  if (list === undefined) return current;
  const entries = documents.flatMap((document) => readPath(document, list) ?? []).filter(isJsonObject);
  if (entries.length === 0) return { ...current, list };
  const configured = { yes: current.states.enabled, no: current.states.disabled };
  const found = matchFields(
    [
      ...describeNames(current, entries),
      {
        name: 'schedule' as const,
        configured: current.fields.schedule,
        patterns: [/^(schedule|cron)/, /schedule|cron/],
        accepts: areTextsOrNull,
      },
      {
        name: 'state' as const,
        configured: current.fields.state,
        patterns: [/^(is)?(state|status|enabled|active)$/, /(state|status|enabled|active)$/],
        accepts: (values: readonly unknown[]) => findSpelling(values, configured) !== undefined,
      },
    ],
    entries,
  );
  const fields = { ...current.fields, ...found, ...findJoinedName(found, entries) };
  const states = findSpelling(collectValues(entries).get(fields.state) ?? [], configured) ?? configured;
  return { ...current, list, fields, states: { enabled: states.yes, disabled: states.no } };
}

function describeNames({ fields }: ScheduledEventsDialect, entries: readonly JsonObject[]) {
  const isJoined = (values: readonly unknown[]) => values.every((value) => qualifiedName.test(String(value)));
  const isName = (values: readonly unknown[]) => areTexts(values) && !isJoined(values);
  if (fields.unit === fields.event && isJoined(entries.map((entry) => readPath(entry, fields.unit)))) return [];
  return [
    {
      name: 'unit' as const,
      configured: fields.unit,
      patterns: [/^unit(name)?$/, /unit|scope|module/],
      accepts: isName,
    },
    {
      name: 'event' as const,
      configured: fields.event,
      patterns: [/^(event|function)(name)?$/, /(event|function|name)$/],
      accepts: isName,
    },
  ];
}

/** Without a field for the unit, one field may have both. */
function findJoinedName({ unit }: { readonly unit?: string }, entries: readonly JsonObject[]) {
  if (unit !== undefined) return {};
  const joined = [...collectValues(entries)].find(([, values]) =>
    values.every((value) => typeof value === 'string' && qualifiedName.test(value)),
  );
  return joined === undefined ? {} : { unit: joined[0], event: joined[0] };
}

import cronstrue from 'cronstrue';

export type ScheduleFields = readonly [
  minute: string,
  hour: string,
  dayOfMonth: string,
  month: string,
  dayOfWeek: string,
];

/** The first value of each field, and the number of its values. */
const fieldValues = [
  [0, 60],
  [0, 24],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

/**
 * Describes a valid cron schedule in words: "At 02:15". A step that does not divide its field
 * evenly starts again with each hour, day or year, so the values are listed. A day that matches
 * either of two day fields is due.
 */
export function describeSchedule(fields: ScheduleFields): string {
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = fields.map(listUnevenSteps);
  const describe = (...days: readonly [dayOfMonth: string, month: string, dayOfWeek: string]) =>
    cronstrue.toString([minute, hour, ...days].join(' '), { use24HourTimeFormat: true });
  if (isAny(dayOfMonth) || isAny(dayOfWeek)) return describe(dayOfMonth, month, dayOfWeek);
  const time = describe('*', '*', '*');
  const days = describe('*', '*', dayOfWeek)
    .slice(time.length)
    .replace(/^, (?:only )?/, ' or ');
  return describe(dayOfMonth, '*', '*') + days + describe('*', month, '*').slice(time.length);
}

function isAny(field: string): boolean {
  return field === '*' || field === '?';
}

// `0,45` for a step of 45 minutes, which is not every 45 minutes.
function listUnevenSteps(field: string, index: number): string {
  const step = Number(/^\*\/(\d+)$/.exec(field)?.[1]);
  const [first, count] = fieldValues[index] ?? [0, 0];
  // Months differ in length, so no step of days is even.
  const isEven = count % step === 0 && index !== 2;
  if (!(step > 1) || isEven) return field;
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => first + at * step).join(',');
}

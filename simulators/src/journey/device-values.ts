/** Generates realistic values for any field, as people type them on their devices. */
import { instantText } from './calendar.ts';
import { type Field, isAttachment, isMultipleChoice } from './data-model.ts';
import type { Json } from './json.ts';
import type { Random } from './random.ts';

const names = [
  'Thandi Mokoena',
  'Joseph Banda',
  'Grace Phiri',
  'Sipho Dlamini',
  'Mary Chanda',
  'Pieter Nel',
  'Ruth Zulu',
];
const remarks = [
  'Seen at home',
  'Back next week',
  'Stock counted twice',
  'No one at home',
  'Discussed with the neighbor',
  'Ok',
];

/** The day number of 1 January 2024 since 1970, and the number of days from there. */
const firstDay = 19_723;
const days = 1000;
const daySeconds = 86_400;

/** Returns null for fields that cannot be typed. */
export function deviceValue(field: Field, random: Random): Json {
  if (isAttachment(field) || field.type === 'track') return null;
  const seconds = (firstDay + random.below(days)) * daySeconds + random.below(daySeconds);
  switch (field.type) {
    case 'text':
      return `${random.pick(field.subtype === 'name' ? names : remarks)} ${random.below(1000)}`;
    case 'integer':
      return random.below(100);
    case 'number':
      return random.below(10_000) / 10;
    case 'date':
      return instantText(seconds).slice(0, 10);
    case 'datetime':
      return instantText(seconds);
    case 'location':
      return { latitude: -random.below(3000) / 100, longitude: 15 + random.below(2000) / 100 };
    default: {
      const key = random.pick(field.options)?.key ?? null;
      return isMultipleChoice(field) ? [key] : key;
    }
  }
}

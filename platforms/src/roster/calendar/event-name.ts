import { type EventProperties, sortProperties } from './event-properties.ts';
import { parseTime } from './feed-time.ts';
import type { FeedComponent } from './parse-calendar.ts';

const maxLength = 200;
const maxLengthInMessages = 60;

/** Returns the summary, or the attendee when it is empty. */
export function readName({ summary, attendee }: EventProperties): string {
  const name = readText(summary?.value ?? '') || toDisplayText(attendee?.parameters.get('CN') ?? '');
  return name.slice(0, maxLength) || 'Unnamed';
}

/** Names an event in a message, even if it cannot be read: 'the event "A" of 2026-01-05 08:00'. */
export function describeEvent(component: FeedComponent): string {
  const { summary, uid, start } = sortProperties(component.properties);
  const name = readText(summary?.value ?? '') || toDisplayText(uid?.value ?? '');
  const subject = name === '' ? 'an event without a name' : `the event "${name.slice(0, maxLengthInMessages)}"`;
  const time = parseTime(start?.value ?? '');
  if (!time) return subject;
  const written = new Date(time.localMs).toISOString().replace('T', ' ');
  return `${subject} of ${written.slice(0, time.isDate ? 'YYYY-MM-DD'.length : 'YYYY-MM-DD HH:MM'.length)}`;
}

/** Unescapes a TEXT value (RFC 5545, 3.3.11). */
function readText(value: string): string {
  if (!value.includes('\\')) return toDisplayText(value);
  return toDisplayText(value.replace(/\\([\\;,nN])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign)));
}

/** Removes control characters and repeated blanks. */
function toDisplayText(text: string): string {
  if (/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text)) return text;
  return text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
}

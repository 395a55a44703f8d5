import { sortProperties } from './event-properties.ts';
import { readText, toDisplayText } from './event-text.ts';
import { parseTime } from './feed-time.ts';
import type { FeedComponent } from './parse-calendar.ts';

const maxLengthInMessages = 60;

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

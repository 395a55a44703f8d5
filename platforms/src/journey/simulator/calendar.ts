/** Dates and times as Journey writes them. Years have four digits. */

/** '2024-02-22T14:00:53Z' of seconds since 1970. */
export function instantText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:T.*)?$/;

/** The day of an ISO date or date-time, its time dropped as it stands; undefined when it is none. */
export function dateText(text: string): string | undefined {
  const day = DATE.exec(text)?.[1];
  if (day === undefined || day.startsWith('0000')) return undefined;
  // A day such as 31 February would roll over into March.
  const millis = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(millis) || new Date(millis).toISOString().slice(0, 10) !== day ? undefined : day;
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** The instant of an ISO date-time in whole seconds, what is less dropped; without a zone it is UTC. Undefined when it is none. */
export function instantSeconds(text: string): number | undefined {
  const [, day, zone] = INSTANT.exec(text) ?? [];
  if (day === undefined || dateText(day) === undefined) return undefined;
  const millis = Date.parse(zone === undefined ? `${text.replace(',', '.')}Z` : text.replace(',', '.'));
  if (Number.isNaN(millis)) return undefined;
  const year = new Date(millis).getUTCFullYear();
  return year < 1 || year > 9999 ? undefined : Math.floor(millis / 1000);
}

/** Formats an ISO instant in UTC for sentences: '2026-11-21 21:00:00 UTC'. */
export function formatUtc(instant: string): string {
  return instant.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC');
}

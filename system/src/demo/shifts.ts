/**
 * Adds some weeks of shifts to the portal-managed team through the portal's API, as a user would.
 */
const calls = '/portal-backend/api/support-roster';
const headers = {
  authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}`,
  'content-type': 'application/json',
};
const place = { environment: 'Production', team: 'Platform' };
const people = ['Sipho Zulu,+27 82 555 0108', 'Anna Visser,+27 71 555 0190', 'Mwila Tembo,+260 97 555 0122'];
const weekDays = 7;

/**
 * Does nothing if there are future shifts. Errors are ignored, because the demo works without
 * shifts.
 */
export async function addDemoShifts(portal: string, now = new Date()): Promise<void> {
  const answer = await fetch(`${portal}${calls}/shifts?${new URLSearchParams(place)}`, { headers });
  const shifts: unknown = answer.ok ? await answer.json() : undefined;
  if (!Array.isArray(shifts) || shifts.some(({ end }) => Date.parse(end) > now.getTime())) return;
  await fetch(`${portal}${calls}/import`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...place, csv: csvOf(now) }),
  });
}

/** One week per shift, from Monday to Monday at 08:00, starting with the week before last. */
function csvOf(now: Date): string {
  const monday = now.getUTCDate() - ((now.getUTCDay() + 6) % weekDays);
  const startOf = (week: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), monday + week * weekDays, 8)).toISOString().slice(0, 16);
  const weeks = Array.from({ length: 12 }, (_, index) => index - 2);
  const lines = weeks.map((week) => `${people[(week + 3) % people.length]},${startOf(week)},${startOf(week + 1)}`);
  return ['name,number,start,end', ...lines].join('\n');
}

/**
 * Adds some weeks of shifts to a portal-managed team through the portal's API, as a user would.
 */
const apiPath = '/portal-backend/api/support-roster';
const headers = {
  authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}`,
  'content-type': 'application/json',
};
const environment = 'Production';
const people = ['Sipho Zulu,+27 82 555 0108', 'Anna Visser,+27 71 555 0190', 'Mwila Tembo,+260 97 555 0122'];
const weekDays = 7;

/**
 * Does nothing if there are future shifts. Errors are ignored, because the demo works without
 * shifts.
 */
export async function addDemoShifts(portal: string, team: string, now = new Date()): Promise<void> {
  const target = { environment, team };
  const response = await fetch(`${portal}${apiPath}/shifts?${new URLSearchParams(target)}`, { headers });
  const shifts: unknown = response.ok ? await response.json() : undefined;
  if (!Array.isArray(shifts) || shifts.some(({ end }) => Date.parse(end) > now.getTime())) return;
  await fetch(`${portal}${apiPath}/import`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...target, csv: toCsv(now) }),
  });
}

/** One week per shift, from Monday to Monday at 08:00, starting with the week before last. */
function toCsv(now: Date): string {
  const monday = now.getUTCDate() - ((now.getUTCDay() + 6) % weekDays);
  const getWeekStart = (week: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), monday + week * weekDays, 8)).toISOString().slice(0, 16);
  const weeks = Array.from({ length: 12 }, (_, index) => index - 2);
  const lines = weeks.map(
    (week) => `${people[(week + 3) % people.length]},${getWeekStart(week)},${getWeekStart(week + 1)}`,
  );
  return ['name,number,start,end', ...lines].join('\n');
}

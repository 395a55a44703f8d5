import { Cron } from 'croner';
import type { Platform } from './platform-routes.ts';
import type { RunResult } from './run-results.ts';

/** Runs every enabled function that is scheduled for this minute. */
export async function runDueFunctions({ apps, settings, definition }: Platform, minute: Date): Promise<RunResult[]> {
  const runs = apps.flatMap((app) =>
    app.definition.functions
      .filter((one) => settings.isEnabled(app.id, `${one.unit}:${one.event}`))
      .filter((one) => isDue(one.schedule, definition.timeZone, minute))
      .map((one) => app.run(one)),
  );
  return (await Promise.all(runs)).filter((result) => result !== undefined);
}

function isDue(schedule: string, timeZone: string, minute: Date): boolean {
  const start = new Date(Math.floor(minute.getTime() / 60_000) * 60_000);
  return new Cron(schedule, { timezone: timeZone, paused: true, mode: '5-part' }).match(start);
}

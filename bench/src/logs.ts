import { parseArgs } from 'node:util';
import { printFigures } from './figures.ts';
import { measureFollowing, measureMillion } from './logs-in-browser.ts';
import { measureThroughServer } from './logs-through-server.ts';
import { startSystem } from './system.ts';

/**
 * `npm run bench -- logs [server|following|million] [--minutes 5]`: runs the given part, or all of
 * them.
 */
const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '5' } },
  allowPositionals: true,
});
const parts = {
  server: () => ['logs: lines per second through the server', measureThroughServer] as const,
  following: () =>
    ['logs: followed in Chromium', (system: System) => measureFollowing(system, Number(values.minutes))] as const,
  million: () => ['logs: a million lines in Chromium', measureMillion] as const,
};
type System = Awaited<ReturnType<typeof startSystem>>;

for (const [name, part] of Object.entries(parts)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const [title, measure] = part();
  const system = await startSystem();
  try {
    printFigures(title, await measure(system));
  } finally {
    await system.stop();
  }
}

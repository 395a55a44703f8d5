/** Runs scheduled functions and writes routine log lines of apps. */
import type { Logger } from '@portal/kit/logger';
import type { Platform } from './platform-routes.ts';
import { runDueFunctions } from './scheduler.ts';
import type { SimulatedApp } from './simulated-app.ts';

const minuteMs = 60_000;
const chatterTickMs = 500;
/** The maximum silence of an app, twice the average; longer where there are more apps. */
const maxSilenceMs = 5_000;
const fewApps = 20;

/** Starts the activity and returns a function that stops it. */
export function startActivity(platform: Platform, log: Logger | undefined): () => void {
  let minuteTimer: NodeJS.Timeout;
  const waitForMinute = () => {
    const now = Date.now();
    const next = Math.floor(now / minuteMs) * minuteMs + minuteMs;
    minuteTimer = setTimeout(() => {
      runDueFunctions(platform, new Date(next)).catch((error: unknown) =>
        log?.warn({ err: error, environment: platform.definition.name }, 'scheduled functions could not run'),
      );
      waitForMinute();
    }, next - now);
  };
  waitForMinute();

  const silenceMs = maxSilenceMs * Math.max(1, platform.apps.length / fewApps);
  // Many apps that write at once would need as many connections.
  const startedMs = Date.now();
  const nextWord = new Map(
    platform.apps.map((app) => [app, startedMs + Math.random() * (silenceMs - maxSilenceMs)] as const),
  );
  const chatterTimer = setInterval(() => {
    const now = Date.now();
    for (const app of platform.apps) {
      if (app.isDisabled() || now < (nextWord.get(app) ?? 0)) continue;
      nextWord.set(app, now + Math.random() * silenceMs);
      app.feed.emit([chatterLine(app)]);
    }
  }, chatterTickMs);

  return () => {
    clearTimeout(minuteTimer);
    clearInterval(chatterTimer);
  };
}

function chatterLine({ definition: { chatter } }: SimulatedApp) {
  const [key, value] = chatter[Math.floor(Math.random() * chatter.length)] ?? ['INFO', 'idle'];
  return { key, value: value.replaceAll('{n}', () => String(Math.floor(Math.random() * 900) + 1)) };
}

import { NotFound, Problem } from '@portal/kit/problems';
import { createHeliumClient } from '../helium/client.ts';
import type { HeliumDialect } from '../helium/dialect/dialect.config.ts';
import { UnreadableResponse } from '../helium/dialect/fields.ts';
import { fillPath, isJsonObject } from '../helium/dialect/json-path.ts';
import { readScheduledEvents } from '../helium/dialect/scheduled-events.ts';
import type { HeliumApp } from '../helium/wire.ts';
import { ask, type Platform } from './ask.ts';
import type { Section } from './report.ts';

export interface ToggleRequest {
  readonly app: HeliumApp;
  /** 'Unit:event' */
  readonly name: string;
}

/**
 * Toggles a scheduled function and sets it back, and reports every value of the platform's list
 * that changed with it.
 */
export async function toggleAndBack(
  platform: Platform,
  dialect: HeliumDialect,
  { app, name }: ToggleRequest,
): Promise<Section> {
  const title = `Toggle of ${name} of ${app.name}, and back`;
  const client = createHeliumClient({ baseUrl: platform.baseUrl, timeoutMs: platform.timeoutMs, dialect });
  const { scheduledEvents } = dialect;
  const { method, path } = scheduledEvents.read;
  const read = async () => (await ask(platform, method, fillPath(path, { appId: app.id }))).document;
  const set = (state: 'Enabled' | 'Disabled') =>
    client.toggleScheduledEvent({ credentials: platform.credentials, appId: app.id, scheduledEvent: name, state });
  let isToggled = false;
  try {
    const before = await read();
    const { entries } = readScheduledEvents(scheduledEvents, before);
    const found = entries.find(({ unit, event }) => `${unit}:${event}` === name);
    if (found === undefined) throw new NotFound(`${app.name} has no scheduled function ${name}.`);
    const texts = [await set(found.state === 'Enabled' ? 'Disabled' : 'Enabled')];
    isToggled = true;
    const toggled = await read();
    texts.push(await set(found.state));
    const remaining = listDifferences(before, await read());
    const changes = listDifferences(before, toggled);
    const lines = [
      ...texts.map((text) => `answer: ${text}`),
      ...(changes.length === 0 ? ['nothing changed'] : changes.map((change) => `changed: ${change}`)),
      ...(remaining.length === 0 ? ['everything is back as it was'] : remaining.map((each) => `not set back: ${each}`)),
    ];
    return { title, lines, isGood: changes.length === 1 && remaining.length === 0 };
  } catch (error) {
    if (!(error instanceof Problem || error instanceof UnreadableResponse)) throw error;
    const warning = isToggled ? ['The function was not set back. Check its state.'] : [];
    return { title, lines: [error.message, ...warning], isGood: false };
  } finally {
    client.close();
  }
}

/** Returns each path whose value differs: `[0].state: "Enabled" → "Disabled"`. */
function listDifferences(one: unknown, other: unknown, path = ''): string[] {
  const [before, after] = [toParts(one), toParts(other)];
  if (before === undefined || after === undefined) {
    const [old, now] = [JSON.stringify(one), JSON.stringify(other)];
    return old === now ? [] : [`${path || '$'}: ${old} → ${now}`];
  }
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) =>
    listDifferences(before.get(key), after.get(key), path + key),
  );
}

function toParts(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((entry, index) => [`[${index}]`, entry]));
  if (isJsonObject(value)) return new Map(Object.entries(value).map(([name, part]) => [`.${name}`, part]));
  return undefined;
}

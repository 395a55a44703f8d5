import { Problem } from '@portal/kit/problems';
import { createHeliumClient } from '../helium/client.ts';
import type { HeliumDialect } from '../helium/dialect/dialect.config.ts';
import { UnreadableResponse } from '../helium/dialect/fields.ts';
import { fillPath, isJsonObject } from '../helium/dialect/json-path.ts';
import { readScheduledEvents } from '../helium/dialect/scheduled-events.ts';
import type { HeliumApp, HeliumEventState } from '../helium/wire.ts';
import { type Answer, ask, explainMissingJson, type Platform } from './ask.ts';
import { maskDocument, maskText } from './mask-secrets.ts';
import type { Section } from './report.ts';

export interface ToggleRequest {
  readonly app: HeliumApp;
  /** 'Unit:event' */
  readonly name: string;
}

/**
 * Toggles a scheduled function and sets it back, and reports every value of the platform's list
 * that changed with it. It is set back whatever the platform answers to the toggle, because a call
 * whose answer was lost may have been applied.
 */
export async function toggleAndBack(
  platform: Platform,
  dialect: HeliumDialect,
  request: ToggleRequest,
): Promise<Section> {
  const { app, name } = request;
  const title = `Toggle of ${name} of ${app.name}, and back`;
  const { method, path } = dialect.scheduledEvents.read;
  const read = () => ask(platform, method, fillPath(path, { appId: app.id }));
  const before = await read();
  const { state, problem = `${app.name} has no scheduled function ${name}.` } = findState(dialect, before, name);
  if (state === undefined) return { title, lines: [problem], isGood: false };

  const toggle = await setState(platform, dialect, request, state === 'Enabled' ? 'Disabled' : 'Enabled');
  const toggled = await read();
  const reversal = await setState(platform, dialect, request, state);
  const after = await read();

  const change = compare(before, toggled);
  const rest = compare(before, after);
  const isSetBack = rest.problem === undefined && rest.differences.length === 0;
  const lines = [
    ...[toggle, reversal].map(({ text }) => `answer: ${maskText(text)}`),
    ...(change.problem === undefined ? [] : [`not read after the toggle: ${change.problem}`]),
    ...(change.problem === undefined && change.differences.length === 0 ? ['nothing changed'] : []),
    ...change.differences.map((each) => `changed: ${each}`),
    ...(rest.problem === undefined ? [] : [`not read again: ${rest.problem}`]),
    ...rest.differences.map((each) => `not set back: ${each}`),
    isSetBack ? 'everything is back as it was' : `Set ${name} of ${app.name} to ${state}, if it is not.`,
  ];
  return { title, lines, isGood: toggle.isDone && reversal.isDone && change.differences.length === 1 && isSetBack };
}

interface Comparison {
  /** Why there is nothing to compare. */
  readonly problem: string | undefined;
  readonly differences: readonly string[];
}

function compare(before: Answer, now: Answer): Comparison {
  const problem = explainMissingJson(now);
  return {
    problem,
    differences:
      problem === undefined ? listDifferences(maskDocument(before.document), maskDocument(now.document)) : [],
  };
}

/** Returns neither a state nor a problem if there is no such function. */
function findState(
  { scheduledEvents }: HeliumDialect,
  answer: Answer,
  name: string,
): { readonly state?: HeliumEventState | undefined; readonly problem?: string } {
  const problem = explainMissingJson(answer);
  if (problem !== undefined) return { problem };
  try {
    const { entries } = readScheduledEvents(scheduledEvents, answer.document);
    return { state: entries.find(({ unit, event }) => `${unit}:${event}` === name)?.state };
  } catch (error) {
    if (error instanceof UnreadableResponse) return { problem: error.message };
    throw error;
  }
}

/** Never throws for what the platform does. */
async function setState(
  { baseUrl, timeoutMs, credentials }: Platform,
  dialect: HeliumDialect,
  { app, name }: ToggleRequest,
  state: HeliumEventState,
): Promise<{ readonly isDone: boolean; readonly text: string }> {
  // A client that has met silence would not make the call that sets the function back.
  const client = createHeliumClient({ baseUrl, timeoutMs, dialect });
  try {
    const text = await client.toggleScheduledEvent({ credentials, appId: app.id, scheduledEvent: name, state });
    return { isDone: true, text };
  } catch (error) {
    if (error instanceof Problem || error instanceof UnreadableResponse) return { isDone: false, text: error.message };
    throw error;
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

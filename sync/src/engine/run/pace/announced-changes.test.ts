import { beforeEach, expect, test } from 'vitest';
import { AnnouncedChanges } from './announced-changes.ts';

const second = 1_000;
const hour = 3_600 * second;

let changes: AnnouncedChanges;

beforeEach(() => {
  changes = new AnnouncedChanges();
});

/** Reads the op-log up to its end, with a change or without one. */
function poll(atMs: number, hasChange = true): void {
  if (hasChange) changes.recordChange(atMs);
  changes.recordEnd(atMs);
}

test('does not rely on webhooks before the first one', () => {
  expect(changes.areComplete(0)).toBe(false);
  poll(second);
  expect(changes.areComplete(hour)).toBe(false);
  expect(changes.missedMs).toBeNull();
  changes.recordWebhook(hour);
  expect(changes.areComplete(hour)).toBe(true);
});

test('relies on them while each change has one, which may arrive before or after its entry', () => {
  changes.recordWebhook(0);
  poll(0);
  poll(60 * second, false);
  changes.recordWebhook(90 * second);
  poll(90 * second);
  // The op-log shows this one later than the webhook, and two polls that did not show it.
  changes.recordWebhook(200 * second);
  poll(200 * second, false);
  poll(202 * second, false);
  poll(204 * second);
  // This one is read before its webhook arrives.
  poll(300 * second);
  changes.recordWebhook(302 * second);
  expect(changes.areComplete(400 * second)).toBe(true);
  expect(changes.missedMs).toBeNull();
});

test('relies on none for an hour after a change that had none', () => {
  changes.recordWebhook(0);
  poll(0);
  poll(60 * second, false);
  poll(120 * second);
  expect(changes.areComplete(125 * second)).toBe(true);
  expect(changes.areComplete(131 * second)).toBe(false);
  expect(changes.missedMs).toBe(120 * second);
  changes.recordWebhook(140 * second);
  poll(140 * second);
  expect(changes.areComplete(150 * second)).toBe(false);
  expect(changes.areComplete(hour + 121 * second)).toBe(true);
  expect(changes.missedMs).toBe(120 * second);
  changes.recordWebhook(hour + 200 * second);
  poll(hour + 200 * second);
  expect(changes.missedMs).toBeNull();
});

test('reads all pages of a backlog for the webhooks that announced it', () => {
  changes.recordWebhook(0);
  poll(0, false);
  changes.recordWebhook(60 * second);
  // Pages before the last one: no end is seen for longer than a webhook may be early.
  for (let at = 60; at < 120; at += 5) changes.recordChange(at * second);
  poll(120 * second);
  expect(changes.areComplete(200 * second)).toBe(true);
});

test('expects the entry of a webhook until it is read, or was not found twice', () => {
  expect(changes.isExpecting).toBe(false);
  changes.recordWebhook(0);
  expect(changes.isExpecting).toBe(true);
  poll(second);
  expect(changes.isExpecting).toBe(false);
  changes.recordWebhook(20 * second);
  poll(20 * second, false);
  expect(changes.isExpecting).toBe(true);
  poll(21 * second, false);
  expect(changes.isExpecting).toBe(false);
});

test('expects nothing for a webhook whose entry was read before it arrived', () => {
  changes.recordWebhook(0);
  poll(0);
  poll(5 * second);
  changes.recordWebhook(6 * second);
  expect(changes.isExpecting).toBe(false);
  changes.recordWebhook(7 * second);
  expect(changes.isExpecting).toBe(true);
  poll(8 * second);
  poll(9 * second);
  changes.recordWebhook(60 * second);
  expect(changes.isExpecting).toBe(true);
});

import type { SimulatedAppHandle } from '@portal/simulators/helium/simulator';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { arrive, seen } from './user-actions.ts';

/** A record of a downloaded file, or a marker inserted by the page. */
export type DownloadedRow = { readonly key: string; readonly value: string } | { readonly marker: string };

/** Opens the log of an app and waits until its lines arrive. */
export async function openLog(page: Page, app: SimulatedAppHandle, environment = 'Production'): Promise<void> {
  await arrive(page, `/logs/${app.id}`, { environment });
  await streams(page, app);
  // Another test may have opened the app in another environment, whose stream is still open; its
  // lines are irrelevant here.
  await seen(page.getByText(/^Streaming the log of /));
}

/** Waits until the platform's lines reach the page again. */
export async function streams(page: Page, app: SimulatedAppHandle): Promise<void> {
  await expect.poll(() => app.viewers()).toBeGreaterThan(0);
  await seen(chip(page, /^(Following|Paused)/));
  await expect.poll(() => page.getByRole('button', { name: 'Play' }).isDisabled()).toBe(true);
}

export function chip(page: Page, label: RegExp | string): Locator {
  return page.getByRole('main').locator('span[data-tone]').filter({ hasText: label });
}

export function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate((node) => node === document.activeElement);
}

/** Returns the text of the rendered lines. */
export function editor(page: Page): Locator {
  return page.locator('.cm-content');
}

/** Waits until the page counts this many log records. */
export async function counts(page: Page, records: number): Promise<void> {
  const status = page.getByRole('status', { name: 'Log records' });
  const words = `${records.toLocaleString('en')} log record${records === 1 ? '' : 's'}`;
  await expect.poll(() => status.textContent()).toBe(words);
}

export async function downloadAll(page: Page): Promise<DownloadedRow[]> {
  const text = await download(page, 'Download all lines as NDJSON');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export async function download(page: Page, label: string): Promise<string> {
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: label }).click()]);
  let text = '';
  for await (const chunk of await file.createReadStream()) text += chunk;
  return text;
}

export function getValues(rows: readonly DownloadedRow[]): string[] {
  return rows.flatMap((row) => ('value' in row ? [row.value] : []));
}

export function readMarkers(rows: readonly DownloadedRow[]): string[] {
  return rows.flatMap((row) => ('marker' in row ? [row.marker] : []));
}

/** Makes the app log "line 1", "line 2" and so on. */
export function logLines(app: SimulatedAppHandle, from: number, to: number): string[] {
  const values = Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);
  app.log(...values.map((value) => ({ key: 'INFO', value })));
  return values;
}

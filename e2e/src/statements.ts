import type { StatementTrends, StatRow } from '@portal/contract/db-spy';
import { createPool } from '@portal/kit/postgres/pool';
import type { Locator, Page } from 'playwright-core';
import type { Portal } from './portal.ts';

/** Returns the server's response for the given filters, to compare with the page. */
export async function fetchStats(page: Page, portal: Portal, input: Record<string, unknown>): Promise<StatRow[]> {
  const response = await page.request.post('/portal-backend/api/db-spy/stats', {
    data: input,
    headers: { origin: portal.origin },
  });
  if (!response.ok()) throw new Error(`stats returned ${response.status()}: ${await response.text()}`);
  return response.json();
}

/** Returns the rows of the table beside the chart: number, statement, value, share. */
export async function readChartedRows(
  page: Page,
): Promise<{ rank: string; query: string; value: string; share: string }[]> {
  const rows = page.getByRole('table', { name: 'Charted queries' }).locator('tbody tr');
  await rows.first().waitFor();
  const cells = await rows.evaluateAll((found) =>
    found.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
  );
  return cells.map(([rank = '', query = '', value = '', share = '']) => ({ rank, query, value, share }));
}

/** Parses "1,234.5 s" as 1234.5. */
export function parseNumber(text: string): number {
  return Number(text.replace(/[^\d.]/g, ''));
}

export function statsTable(page: Page): Locator {
  return page.getByRole('region', { name: 'Query statistics' });
}

export function queryDetail(page: Page): Locator {
  return page.getByRole('dialog', { name: 'Query Pattern Detail' });
}

/** The moments of the snapshots in `playTrends`. */
export const trendTimes = ['2026-11-21T10:00:00.000Z', '2026-11-21T11:00:00.000Z', '2026-11-21T12:00:00.000Z'];

/** Makes every statement run three times between the first two snapshots, and not after that. */
export async function playTrends(page: Page): Promise<void> {
  await page.route('**/db-spy/trends', async (route) => {
    const ids: string[] = route.request().postDataJSON().ids;
    const trends: StatementTrends = {
      takenAt: trendTimes,
      trends: ids.map((id) => ({ id, calls: [3, 0], total_time: [1500, 0] })),
    };
    await route.fulfill({ json: trends });
  });
}

/** Runs a statement at the given address, bypassing the platform and the portal. */
export async function query(url: string, sql: string): Promise<void> {
  const pool = createPool(url, { applicationName: 'e2e', max: 1, statementTimeoutMs: 60_000 });
  try {
    await pool.query(sql);
  } finally {
    await pool.end();
  }
}

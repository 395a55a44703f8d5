import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { RawJsonList } from './raw-json-list.ts';

it.each([0, 1, 249, 250, 251, 1_000])('%i rows are written as one JSON list', async (count) => {
  const rows = Array.from({ length: count }, (_, at) => ({ at, text: `"é"\n[${at}]`, nothing: null }));
  expect(await text(new RawJsonList(rows.map((row) => JSON.stringify(row))).stream())).toBe(JSON.stringify(rows));
});

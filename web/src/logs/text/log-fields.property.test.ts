import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogFilter } from '../search/log-filter.ts';
import { showAll } from '../search/log-query.ts';
import { buildChunk } from './log-chunk.ts';
import { hasField, readFields } from './log-fields.ts';

const key = fc.stringMatching(/^[a-z]{1,6}$/);
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));

describe('fields of JSON lines', () => {
  it('are each leaf under its path, and a line has each of its own fields', () => {
    fc.assert(
      fc.property(fc.dictionary(key, leaf), fc.dictionary(key, leaf), (outer, inner) => {
        const text = JSON.stringify({ ...outer, nested: inner });
        const fields = readFields(text) ?? [];
        for (const [name, value] of Object.entries(inner)) {
          expect(fields).toContainEqual({
            name: `nested.${name}`,
            value: typeof value === 'string' ? value : `${value}`,
          });
        }
        for (const field of fields) expect(hasField(text, field)).toBe(true);
      }),
    );
  });

  it('do not exist in other texts, which are no error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `{${text}}`),
        ),
        (text) => {
          if (readFields(text) !== null) expect(() => JSON.parse(text)).not.toThrow();
        },
      ),
    );
    for (const text of ['', '{', '{"a":1', '[1]', 'null', 'text {"a":1}']) expect(readFields(text)).toBeNull();
  });

  it('are limited in number and depth', () => {
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index])));
    expect(readFields(wide)).toHaveLength(200);
    const deep = `${'{"a":'.repeat(50)}1${'}'.repeat(50)}`;
    expect(readFields(deep)).toHaveLength(1);
  });

  it('filter the lines, with the stack trace of a line that is kept', () => {
    const rows = ['{"id":"a","n":1}', '\tat a.b(C)', '{"id":"b","n":1}', 'text', '{"n":1,"id":"a"}'];
    const chunk = buildChunk(
      0,
      rows.map((value) => ({ millis: 1, key: 'SEVERE', value })),
      null,
    );
    const filter = new LogFilter({ ...showAll, field: { name: 'id', value: 'a' } });
    expect(filter.filter(chunk).keptRanges).toEqual([0, 2, 4, 5]);
  });
});

import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { mapInParts, validateInParts } from './in-parts.ts';

const schema = z.array(z.object({ id: z.number() }));
const createList = (length: number) => Array.from({ length }, (_, id) => ({ id }));

describe('validation in parts', () => {
  it.each([0, 1, 500, 501, 1000, 1234])('returns all of %i elements in order', async (length) => {
    const list = createList(length);
    const unknownFields = list.map((element) => ({ ...element, more: true }));
    expect(await validateInParts(schema, unknownFields)).toEqual({ success: true, data: list });
  });

  it.each([0, 499, 500, 1233])('finds an invalid element at place %i', async (at) => {
    const list: { readonly id: unknown }[] = createList(1234);
    list[at] = { id: 'none' };
    expect(await validateInParts(schema, list)).toMatchObject({ success: false });
  });

  it('validates what is no list like safeParse', async () => {
    expect(await validateInParts(schema, 'none')).toMatchObject({ success: false });
    expect(await validateInParts(z.object({ id: z.number() }), { id: 7 })).toEqual({ success: true, data: { id: 7 } });
  });

  it('lets other tasks run between two parts', async () => {
    const order: string[] = [];
    const counted = z.array(
      z.pipe(
        z.any(),
        z.transform((value) => void (value === 700 && order.push('second part'))),
      ),
    );
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      order.push('other task');
      port1.close();
    };
    port2.postMessage(null);
    await validateInParts(
      counted,
      Array.from({ length: 900 }, (_, index) => index),
    );
    expect(order).toEqual(['other task', 'second part']);
  });
});

it.each([0, 1, 500, 1234])('maps all of %i elements in order, in parts', async (length) => {
  const parts: number[] = [];
  const mapped = await mapInParts(createList(length), (part) => {
    parts.push(part.length);
    return part.map(({ id }) => id + 1);
  });
  expect(mapped).toEqual(createList(length).map(({ id }) => id + 1));
  expect(Math.max(0, ...parts)).toBeLessThanOrEqual(500);
});

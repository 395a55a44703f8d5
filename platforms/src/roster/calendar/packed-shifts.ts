import type { Shift } from '../roster-source.ts';

/**
 * The shifts of a calendar as they pass between threads: copying a hundred thousand objects takes
 * longer than making them.
 */
export interface PackedShifts {
  readonly names: readonly string[];
  /** For each span, three numbers a shift: which name, start, end. */
  readonly spans: readonly Float64Array<ArrayBuffer>[];
}

/** Somebody's turn between two instants. */
export interface Turn {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export function packShifts(spans: readonly (readonly Turn[])[]): PackedShifts {
  const indexes = new Map<string, number>();
  const indexOf = (name: string): number => {
    const known = indexes.get(name);
    if (known !== undefined) return known;
    indexes.set(name, indexes.size);
    return indexes.size - 1;
  };
  const packed = spans.map((turns) => {
    const numbers = new Float64Array(turns.length * 3);
    let at = 0;
    for (const { name, from, to } of turns) {
      numbers[at++] = indexOf(name);
      numbers[at++] = from;
      numbers[at++] = to;
    }
    return numbers;
  });
  return { names: [...indexes.keys()], spans: packed };
}

/** In calendars a person is a name. */
export function unpackShifts({ names, spans }: PackedShifts): Shift[][] {
  return spans.map((numbers) =>
    Array.from({ length: numbers.length / 3 }, (_, at) => {
      const name = names[numbers[at * 3] ?? 0] ?? '';
      return {
        personId: name,
        name,
        start: new Date(numbers[at * 3 + 1] ?? 0),
        end: new Date(numbers[at * 3 + 2] ?? 0),
      };
    }),
  );
}

import type { Shift } from '../roster-source.ts';

/** The shifts of a calendar as they pass between threads: copying a hundred thousand objects takes longer than making them. */
export interface PackedShifts {
  readonly names: readonly string[];
  /** For each span, three numbers a shift: which name, start, end. */
  readonly spans: readonly Float64Array<ArrayBuffer>[];
}

export function packShifts(spans: readonly (readonly Shift[])[]): PackedShifts {
  const indexes = new Map<string, number>();
  const indexOf = (name: string): number => {
    const index = indexes.get(name) ?? indexes.size;
    indexes.set(name, index);
    return index;
  };
  const packed = spans.map((shifts) => {
    const numbers = new Float64Array(shifts.length * 3);
    let at = 0;
    for (const { name, start, end } of shifts) {
      numbers[at++] = indexOf(name);
      numbers[at++] = start.getTime();
      numbers[at++] = end.getTime();
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

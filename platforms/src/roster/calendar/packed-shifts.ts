import type { Shift } from '../roster-source.ts';

/**
 * The shifts of a calendar in a form that is cheap to send between threads: copying a hundred
 * thousand objects takes longer than creating them.
 */
export interface PackedShifts {
  readonly names: readonly string[];
  /** For each span, three numbers per shift: index of the name, start, and end. */
  readonly spans: readonly Float64Array<ArrayBuffer>[];
}

/** One occurrence of an event, in milliseconds since 1970. */
export interface Occurrence {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export function packShifts(spans: readonly (readonly Occurrence[])[]): PackedShifts {
  const indexes = new Map<string, number>();
  const getIndex = (name: string): number => {
    const known = indexes.get(name);
    if (known !== undefined) return known;
    indexes.set(name, indexes.size);
    return indexes.size - 1;
  };
  const packedSpans = spans.map((occurrences) => {
    const numbers = new Float64Array(occurrences.length * 3);
    let at = 0;
    for (const { name, from, to } of occurrences) {
      numbers[at++] = getIndex(name);
      numbers[at++] = from;
      numbers[at++] = to;
    }
    return numbers;
  });
  return { names: [...indexes.keys()], spans: packedSpans };
}

/** Unpacks shifts; calendars identify people by name only. */
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

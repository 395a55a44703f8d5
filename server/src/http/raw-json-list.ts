import { Readable } from 'node:stream';

/** Enough to be worth a piece of its own, few enough that nobody else waits for it. */
const elementsPerChunk = 250;

/**
 * A list of many megabytes whose elements are JSON already; sent piece by piece. It passes by the
 * contract's serialiser, which leaves out what it does not name: whoever writes the elements
 * answers for them.
 */
export class RawJsonList {
  readonly #elements: readonly string[];

  constructor(elements: readonly string[]) {
    this.#elements = elements;
  }

  stream(): Readable {
    return Readable.from(toChunks(this.#elements), { objectMode: false });
  }
}

function* toChunks(elements: readonly string[]): Generator<Buffer> {
  let before = '[';
  for (let at = 0; at < elements.length; at += elementsPerChunk) {
    yield Buffer.from(before + elements.slice(at, at + elementsPerChunk).join(','));
    before = ',';
  }
  yield Buffer.from(elements.length === 0 ? '[]' : ']');
}

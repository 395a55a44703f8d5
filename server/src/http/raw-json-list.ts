import { Readable } from 'node:stream';

/** Large enough to be efficient, small enough not to block other requests. */
const elementsPerChunk = 250;

/**
 * A list of many megabytes whose elements are already JSON; sent in chunks. It bypasses the
 * contract's serializer, so its creator must include only fields of the contract.
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

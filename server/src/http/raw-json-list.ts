import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

/**
 * Adds elements that are already JSON. Settles when the client can take more, or throws an
 * AbortError once the response is closed.
 */
export type AddElements = (elements: readonly string[]) => Promise<void>;

/** A client that reads more slowly must not hold the source any longer. */
const maxSendingMs = 60_000;

/**
 * A list of many megabytes that is sent while it is read. It bypasses the contract's serializer, so
 * its creator must include only fields of the contract.
 */
export class RawJsonList {
  readonly #read: (add: AddElements, signal: AbortSignal) => Promise<void>;

  /**
   * @param read Reads the list and adds its elements, a few hundred kilobytes at a time. The signal
   *   aborts when the response is closed.
   */
  constructor(read: (add: AddElements, signal: AbortSignal) => Promise<void>) {
    this.#read = read;
  }

  /**
   * Returns the list as a stream after its first elements are read, and throws what reading throws
   * before. A later error destroys the stream, so that the client does not take a part for the
   * whole. If the client disconnects before, the returned stream is destroyed.
   */
  async open(response: ServerResponse): Promise<Readable> {
    const stream = new PassThrough();
    const closed = new AbortController();
    const { signal } = closed;
    // Until the response listens for errors, nothing else does.
    stream.on('error', () => undefined);
    stream.once('close', () => closed.abort());
    response.once('close', () => stream.destroy());
    if (response.destroyed) stream.destroy();

    let before = '[';
    const add: AddElements = async (elements) => {
      signal.throwIfAborted();
      if (elements.length === 0) return;
      stream.write(before + elements.join(','));
      before = ',';
      // Other requests run between batches, even if the client takes each one at once.
      await setImmediate(undefined, { signal });
      if (stream.writableNeedDrain) await once(stream, 'drain', { signal });
    };
    this.#read(add, signal).then(
      () => stream.end(before === '[' ? '[]' : ']'),
      (error) => stream.destroy(error),
    );
    try {
      await once(stream, 'readable', { signal });
    } catch {
      if (stream.errored) throw stream.errored;
      return stream;
    }
    const timeout = setTimeout(() => stream.destroy(new Error('the client reads too slowly')), maxSendingMs);
    stream.once('close', () => clearTimeout(timeout));
    return stream;
  }
}

import { getLines, type LogChunk } from '../ring/log-chunk.ts';

const maxCached = 16;
const maxHeaderBytes = 10;
/** UTF-8 needs at most three bytes for each of JavaScript's code units. */
const maxBytesPerUnit = 3;

/**
 * The specified form: a text frame for each line. All frames of a chunk are one buffer, headers
 * included, that goes to the connection as it is: a frame and a write for each line and viewer
 * would cost ten times the line itself. That is allowed as long as frames are whole, and neither
 * compressed nor masked, as here.
 */
export class PlainFrames {
  readonly #cache = new Map<LogChunk, Buffer>();

  /**
   * Frames of the chunks asked for last are kept: viewers ask for the same ones one after another.
   */
  get(chunk: LogChunk): Buffer {
    const frames = this.#cache.get(chunk) ?? encodeFrames(chunk);
    this.#cache.delete(chunk);
    this.#cache.set(chunk, frames);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= maxCached) break;
      this.#cache.delete(oldest);
    }
    return frames;
  }
}

function encodeFrames(chunk: LogChunk): Buffer {
  const messages = getLines(chunk).map(([millis, key, value]) => JSON.stringify({ millis, key, value }));
  const maxBytes = messages.reduce((sum, message) => sum + maxHeaderBytes + message.length * maxBytesPerUnit, 0);
  const frames = Buffer.allocUnsafe(maxBytes);
  let end = 0;
  for (const message of messages) end = writeFrame(frames, message, end);
  // A copy of what is used: the rest is not to be kept with it.
  return Buffer.from(frames.subarray(0, end));
}

/**
 * FIN and text, then the length in one, three or nine bytes, then the text. Answers where the frame
 * ends.
 */
function writeFrame(frames: Buffer, text: string, at: number): number {
  const length = text.length * maxBytesPerUnit < 126 ? 0 : Buffer.byteLength(text);
  const headerBytes = length < 126 ? 2 : length < 65_536 ? 4 : maxHeaderBytes;
  const written = frames.write(text, at + headerBytes);
  frames[at] = 0x81;
  if (headerBytes === 2) {
    frames[at + 1] = written;
  } else if (headerBytes === 4) {
    frames[at + 1] = 126;
    frames.writeUInt16BE(written, at + 2);
  } else {
    frames[at + 1] = 127;
    frames.writeBigUInt64BE(BigInt(written), at + 2);
  }
  return at + headerBytes + written;
}

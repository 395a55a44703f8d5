import { getLines, type RingChunk } from '../ring/ring-chunk.ts';

const maxCached = 16;
const maxHeaderBytes = 10;
/** UTF-8 needs at most three bytes for each UTF-16 code unit. */
const maxBytesPerUnit = 3;

/**
 * Encodes lines in the specified format, one text frame per line. All frames of a chunk form one
 * buffer with headers, which is written to the connection directly: a write per line and viewer
 * would cost ten times the line itself. This is valid because the frames are complete and neither
 * compressed nor masked.
 */
export class PlainFrames {
  readonly #cache = new Map<RingChunk, Buffer>();

  /** Caches the frames of the last chunks, because viewers request the same ones in succession. */
  get(chunk: RingChunk): Buffer {
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

function encodeFrames(chunk: RingChunk): Buffer {
  const messages = getLines(chunk).map(([millis, key, value]) => JSON.stringify({ millis, key, value }));
  const maxBytes = messages.reduce((sum, message) => sum + maxHeaderBytes + message.length * maxBytesPerUnit, 0);
  const frames = Buffer.allocUnsafe(maxBytes);
  let end = 0;
  for (const message of messages) end = writeFrame(frames, message, end);
  // A copy, so that the unused part of the buffer can be freed.
  return Buffer.from(frames.subarray(0, end));
}

/**
 * Writes FIN and opcode, the length in one, three or nine bytes, and the text. Returns the end of
 * the frame.
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

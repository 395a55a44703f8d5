import { type LogChunk, linesOf } from './log-chunk.ts';

const mostKept = 16;

/**
 * The specified form: a text frame for each line. All frames of a chunk are one buffer, headers included, that goes to
 * the connection as it is: a frame and a write for each line and viewer would cost ten times the line itself. That is
 * allowed as long as frames are whole, and neither compressed nor masked, as here.
 */
export class PlainFrames {
  readonly #kept = new Map<LogChunk, Buffer>();

  /** Frames of the chunks asked for last are kept: viewers ask for the same ones one after another. */
  of(chunk: LogChunk): Buffer {
    const frames = this.#kept.get(chunk) ?? framesOf(chunk);
    this.#kept.delete(chunk);
    this.#kept.set(chunk, frames);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) break;
      this.#kept.delete(oldest);
    }
    return frames;
  }
}

function framesOf(chunk: LogChunk): Buffer {
  const pieces: Buffer[] = [];
  for (const [millis, key, value] of linesOf(chunk)) {
    const payload = Buffer.from(JSON.stringify({ millis, key, value }));
    pieces.push(headerOf(payload.length), payload);
  }
  return Buffer.concat(pieces);
}

/** FIN and text, then the length in one, three or nine bytes. */
function headerOf(length: number): Buffer {
  if (length < 126) return Buffer.from([0x81, length]);
  const header = Buffer.from([0x81, 126, 0, 0, 0, 0, 0, 0, 0, 0]);
  if (length < 65_536) {
    header.writeUInt16BE(length, 2);
    return header.subarray(0, 4);
  }
  header[1] = 127;
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}

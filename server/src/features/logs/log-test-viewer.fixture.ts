import { type BatchFrame, batchFrameSchema, type LogHello } from '@portal/contract/logs';
import { type ClientOptions, WebSocket } from 'ws';

export type Position = NonNullable<LogHello['after']>;

/** A viewer of the log socket over a real connection that records everything it receives. */
export class TestViewer {
  readonly socket: WebSocket;
  /** The received frames. */
  readonly frames: string[] = [];
  /** The close code and reason. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #heard: () => void = () => undefined;

  constructor(url: string, hello: LogHello | string | Buffer | null, options: ClientOptions = {}) {
    this.socket = new WebSocket(url, { perMessageDeflate: false, ...options });
    this.socket.on('message', (data) => {
      this.frames.push(data.toString());
      this.#heard();
    });
    this.socket.on('open', () => {
      if (hello === null) return;
      this.socket.send(typeof hello === 'string' || Buffer.isBuffer(hello) ? hello : JSON.stringify(hello));
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        this.#heard();
      });
    });
    this.socket.on('error', () => undefined);
  }

  /** The received batch frames, each checked against the contract. */
  get received(): BatchFrame[] {
    return this.frames.map((frame) => batchFrameSchema.parse(JSON.parse(frame)));
  }

  /** The texts of the received lines, in order. */
  get lines(): string[] {
    return this.received.flatMap((frame) => (frame.type === 'lines' ? frame.lines.map(([, , value]) => value) : []));
  }

  /** The position from which a viewer would resume. */
  get position(): Position {
    const received = this.received;
    const hello = received.findLast((frame) => frame.type === 'hello');
    const lines = received.findLast((frame) => frame.type === 'lines');
    const last = lines?.lines.at(-1);
    if (hello === undefined || lines === undefined || last === undefined) throw new Error('received no lines yet');
    const tail = lines.lines.slice(-40);
    return { stream: hello.stream, seq: lines.seq + lines.lines.length - 1, millis: last[0], tail };
  }

  /** Waits for the first matching frame, including those already received. */
  async waitFor<T extends BatchFrame>(matches: (frame: BatchFrame) => frame is T): Promise<T>;
  async waitFor(matches: (frame: BatchFrame) => boolean): Promise<BatchFrame>;
  async waitFor(matches: (frame: BatchFrame) => boolean): Promise<BatchFrame> {
    for (let next = 0; ; ) {
      for (; next < this.frames.length; next += 1) {
        const frame = batchFrameSchema.parse(JSON.parse(this.frames[next] ?? ''));
        if (matches(frame)) return frame;
      }
      await this.#more();
    }
  }

  /** Waits for the line with this text. */
  async waitForLine(text: string): Promise<void> {
    await this.waitFor((frame) => frame.type === 'lines' && frame.lines.some(([, , value]) => value === text));
  }

  /** Waits until no later line of the platform can be missed. */
  async waitForOpenStream(): Promise<void> {
    await this.waitFor((frame) => frame.type === 'state' && (frame.state === 'reading' || frame.state === 'streaming'));
  }

  /** Waits for this many frames of any kind. */
  async waitForFrames(frames: number): Promise<void> {
    while (this.frames.length < frames) await this.#more();
  }

  async leave(): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }

  async #more(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) throw new Error(`closed after ${this.frames.join('\n')}`);
    await new Promise<void>((resolve) => {
      this.#heard = resolve;
    });
  }
}

import type { LogRecord } from '../ring/log-chunk.ts';
import type { LogCredentials, LogSource } from './log-source.ts';

export interface ConnectionListener {
  onOpen(connection: LogConnection): void;
  onRecords(connection: LogConnection, records: readonly LogRecord[]): void;
  /** Not called after `close`. The problem is null when the platform ended the stream in order. */
  onEnd(connection: LogConnection, problem: unknown): void;
}

/** One stream of the platform, opened with somebody's credentials; it reads until it ends or is closed. */
export class LogConnection {
  readonly credentials: LogCredentials;
  readonly #abort = new AbortController();
  #open = false;

  constructor(source: LogSource, credentials: LogCredentials, listener: ConnectionListener) {
    this.credentials = credentials;
    void this.#read(source, listener);
  }

  get isOpen(): boolean {
    return this.#open;
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(source: LogSource, listener: ConnectionListener): Promise<void> {
    const { signal } = this.#abort;
    let problem: unknown = null;
    const onOpen = () => {
      if (signal.aborted) return;
      this.#open = true;
      listener.onOpen(this);
    };
    try {
      for await (const records of source.stream({ credentials: this.credentials, signal, onOpen })) {
        if (signal.aborted) return;
        listener.onRecords(this, records);
      }
    } catch (error) {
      problem = error;
    }
    if (!signal.aborted) listener.onEnd(this, problem);
  }
}

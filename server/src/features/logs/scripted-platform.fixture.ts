import { Unreachable } from '@portal/kit/problems';
import type { ReceivedLine } from './ring/ring-chunk.ts';
import type { LogCredentials, LogSource } from './upstream/log-source.ts';

interface Connection {
  readonly credentials: LogCredentials;
  /** Delay of each line. */
  readonly lagMs: number;
  readonly queue: ReceivedLine[];
  problem: Error | null;
  wake: () => void;
}

const lagsMs = [2, 4, 0];
const tableLagMs = 5;

/**
 * A platform for property tests that emits, fails and recovers on command. Its table receives every
 * line shortly after the streams and may be unreachable. Its streams have different delays and lose
 * undelivered lines when they are cut.
 */
export class ScriptedPlatform {
  readonly emitted: ReceivedLine[] = [];
  isDown = false;
  isTableUnreachable = false;
  readonly #connections = new Set<Connection>();
  #opened = 0;
  #millis = 0;
  #written = 0;

  get connections(): number {
    return this.#connections.size;
  }

  /** The credentials of the open connections. */
  get users(): string[] {
    return [...this.#connections].map(({ credentials }) => credentials.key);
  }

  /** Emits this many lines now, four per millisecond; the text of each is its index. */
  emit(count: number): void {
    const records = Array.from({ length: count }, () => {
      const index = `${this.emitted.length}`;
      this.#millis = Math.max(Date.now(), this.#millis + Number(this.emitted.length % 4 === 0));
      const record = { id: `id-${index}`, key: 'INFO', value: index, millis: this.#millis };
      this.emitted.push(record);
      return record;
    });
    const written = this.emitted.length;
    setTimeout(() => {
      this.#written = written;
    }, tableLagMs);
    for (const connection of this.#connections) {
      setTimeout(() => {
        if (connection.problem !== null) return;
        for (const record of records) connection.queue.push(record);
        connection.wake();
      }, connection.lagMs);
    }
  }

  cut(): void {
    for (const connection of this.#connections) {
      connection.problem = new Unreachable('The stream was cut.');
      connection.wake();
    }
    this.#connections.clear();
  }

  readonly source: LogSource = {
    stream: ({ credentials, signal, onOpen }) => this.#stream(credentials, signal, onOpen),
    readRows: async ({ afterMillis, maxRows }) => {
      if (this.isTableUnreachable) throw new Unreachable('The data source is unreachable.');
      return this.emitted
        .slice(0, this.#written)
        .filter(({ millis }) => millis > afterMillis)
        .slice(-maxRows);
    },
  };

  async *#stream(credentials: LogCredentials, signal: AbortSignal, onOpen: () => void): AsyncGenerator<ReceivedLine[]> {
    await Promise.resolve();
    if (this.isDown) throw new Unreachable('The platform is down.');
    this.#opened += 1;
    const lagMs = lagsMs[this.#opened % lagsMs.length] ?? 0;
    const connection: Connection = { credentials, lagMs, queue: [], problem: null, wake: () => undefined };
    this.#connections.add(connection);
    signal.addEventListener('abort', () => {
      this.#connections.delete(connection);
      connection.wake();
    });
    onOpen();
    while (!signal.aborted) {
      if (connection.queue.length > 0) {
        yield connection.queue.splice(0);
      } else if (connection.problem !== null) {
        throw connection.problem;
      } else {
        await new Promise<void>((resolve) => {
          connection.wake = resolve;
        });
      }
    }
  }
}

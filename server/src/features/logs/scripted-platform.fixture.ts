import { Unreachable } from '@portal/kit/problems';
import type { LogRecord } from './log-chunk.ts';
import type { LogCredentials, LogSource } from './log-source.ts';

interface Connection {
  readonly credentials: LogCredentials;
  readonly queue: LogRecord[];
  problem: Error | null;
  wake: () => void;
}

/**
 * A platform for property tests: emits, breaks and comes back in the turn it is told to. Its table has every line from
 * the moment it is emitted, and may be out of reach.
 */
export class ScriptedPlatform {
  readonly emitted: LogRecord[] = [];
  isDown = false;
  isTableAway = false;
  readonly #connections = new Set<Connection>();
  #millis = Date.now();

  get connections(): number {
    return this.#connections.size;
  }

  /** Whose credentials open connections have. */
  get users(): string[] {
    return [...this.#connections].map(({ credentials }) => credentials.key);
  }

  /** `steps` are the milliseconds between one line and the next; the line's text is its place among all. */
  emit(steps: readonly number[]): void {
    const records = steps.map((step) => {
      this.#millis += step;
      const place = `${this.emitted.length}`;
      const record = { id: `id-${place}`, key: 'INFO', value: place, millis: this.#millis };
      this.emitted.push(record);
      return record;
    });
    for (const connection of this.#connections) {
      for (const record of records) connection.queue.push(record);
      connection.wake();
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
    logged: async ({ afterMillis, most }) => {
      if (this.isTableAway) throw new Unreachable('The data source is away.');
      return this.emitted.filter(({ millis }) => millis > afterMillis).slice(-most);
    },
  };

  async *#stream(credentials: LogCredentials, signal: AbortSignal, onOpen: () => void): AsyncGenerator<LogRecord[]> {
    await Promise.resolve();
    if (this.isDown) throw new Unreachable('The platform is down.');
    const connection: Connection = { credentials, queue: [], problem: null, wake: () => undefined };
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

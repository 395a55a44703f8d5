import { isIP, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** PostgreSQL's SSLRequest message: its length, and its number. */
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Connects as libpq does with `sslmode=prefer`: with TLS if the server offers it, otherwise
 * without. The driver knows no such mode. It uses this as its socket, which is connected once the
 * server has answered the request for TLS.
 */
export class PreferredTls extends Duplex {
  readonly #tls: ConnectionOptions;
  #socket = new Socket();

  constructor(tls: ConnectionOptions) {
    super({ allowHalfOpen: false });
    this.#tls = tls;
  }

  /** Connects to a port of a host, or to the path of a local socket, which needs no TLS. */
  connect(portOrPath: number | string, host?: string): this {
    const tcp = this.#socket;
    this.#forwardEnd(tcp);
    if (host === undefined) {
      tcp.connect(String(portOrPath), () => this.#use(tcp));
      return this;
    }
    tcp.connect(Number(portOrPath), host, () => tcp.write(tlsRequest));
    tcp.once('data', (answer) => {
      const word = answer.toString('latin1');
      if (word === 'N') return this.#use(tcp);
      if (word !== 'S') return this.destroy(new Error('There was an error establishing an SSL connection'));
      const secure = connectTls({ ...this.#tls, socket: tcp, host, ...(isIP(host) === 0 && { servername: host }) });
      this.#forwardEnd(secure);
      secure.once('secureConnect', () => this.#use(secure));
    });
    return this;
  }

  setNoDelay(isOn?: boolean): this {
    this.#socket.setNoDelay(isOn);
    return this;
  }

  setKeepAlive(isOn?: boolean, initialDelayMs?: number): this {
    this.#socket.setKeepAlive(isOn, initialDelayMs);
    return this;
  }

  ref(): this {
    this.#socket.ref();
    return this;
  }

  unref(): this {
    this.#socket.unref();
    return this;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    this.emit('connect');
  }

  #forwardEnd(socket: Socket): void {
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }
}

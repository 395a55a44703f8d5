import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Opens connections as clients leave them: 20 that were used and are kept alive, 5 that never sent
 * a byte, and 5 in the middle of a request.
 *
 * @param address `http://127.0.0.1:8080`
 * @param path responds to GET without credentials
 */
export async function openConnections(address: string, path: string): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(address);
  const open = async (sent: string): Promise<Socket> => {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    await once(socket, 'connect');
    if (sent !== '') await new Promise((resolve) => socket.write(sent, resolve));
    if (sent.endsWith('\r\n\r\n')) await once(socket, 'data');
    socket.resume();
    return socket;
  };
  const head = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n`;
  const kinds = [...Array(20).fill(`${head}\r\n`), ...Array(5).fill(''), ...Array(5).fill(head)];
  return Promise.all(kinds.map(open));
}

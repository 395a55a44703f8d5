import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** A refused one takes up to half a millisecond. */
const upgradesPerTurn = 10;

/**
 * Returns a server that emits the upgrades of `server`, a few per turn of the event loop. Node may
 * emit a thousand in one turn, and no one else would be served until all of them are answered.
 */
export function paceUpgrades(server: Server): Server {
  const paced = createServer();
  const waiting: (readonly [IncomingMessage, Duplex, Buffer])[] = [];
  const forward = () => {
    for (const [request, socket, head] of waiting.splice(0, upgradesPerTurn)) {
      socket.off('error', destroy);
      if (!socket.destroyed) paced.emit('upgrade', request, socket, head);
    }
    if (waiting.length > 0) setImmediate(forward);
  };
  server.on('upgrade', (request, socket, head) => {
    // Node has removed its own listeners.
    socket.on('error', destroy);
    waiting.push([request, socket, head]);
    if (waiting.length === 1) setImmediate(forward);
  });
  return paced;
}

function destroy(this: Duplex): void {
  this.destroy();
}

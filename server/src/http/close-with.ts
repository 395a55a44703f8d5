import { logCloseCodes } from '@portal/contract/logs';
import { Invalid, NotFound, NotSignedIn, type Problem, Refused } from '@portal/kit/problems';
import type { WebSocket } from 'ws';

/** Maximum size of a close reason. */
const maxReasonBytes = 123;

/** Closes a socket with the code and message of a problem. */
export function closeWith(socket: WebSocket, problem: Problem): void {
  socket.close(toCloseCode(problem), shorten(problem.message));
}

function toCloseCode(problem: Problem): number {
  if (problem instanceof Invalid) return logCloseCodes.badFrame;
  // Callers without a session never get here, so it is the platform that rejects the credentials.
  if (problem instanceof NotSignedIn) return logCloseCodes.platformRefused;
  if (problem instanceof Refused) return logCloseCodes.refused;
  if (problem instanceof NotFound) return logCloseCodes.unknownApp;
  return logCloseCodes.tryLater;
}

function shorten(text: string): string {
  let short = text;
  while (Buffer.byteLength(short) > maxReasonBytes) short = `${short.slice(0, -2).trimEnd()}…`;
  return short;
}

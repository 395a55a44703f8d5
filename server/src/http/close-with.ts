import { logCloseCodes } from '@portal/contract/logs';
import { toCloseReason } from '@portal/kit/close-reason';
import { Invalid, NotFound, NotSignedIn, type Problem, Refused } from '@portal/kit/problems';
import type { WebSocket } from 'ws';

/** Closes a socket with the code and message of a problem. */
export function closeWith(socket: WebSocket, problem: Problem): void {
  socket.close(toCloseCode(problem), toCloseReason(problem.message));
}

function toCloseCode(problem: Problem): number {
  if (problem instanceof Invalid) return logCloseCodes.badFrame;
  // Callers without a session never get here, so it is the platform that rejects the credentials.
  if (problem instanceof NotSignedIn) return logCloseCodes.platformRefused;
  if (problem instanceof Refused) return logCloseCodes.refused;
  if (problem instanceof NotFound) return logCloseCodes.unknownApp;
  return logCloseCodes.tryLater;
}

import { logCloseCodes } from '@portal/contract/logs';
import { toCloseReason } from '@portal/kit/close-reason';
import type { WebSocket } from 'ws';

const codes: Readonly<Record<number, number>> = {
  400: logCloseCodes.badFrame,
  // Callers without a session never get here, so it is the platform that rejects the credentials.
  401: logCloseCodes.platformRefused,
  403: logCloseCodes.refused,
  404: logCloseCodes.unknownApp,
  409: logCloseCodes.refused,
  500: logCloseCodes.bug,
};

/** Closes a socket with the code and message of a problem. */
export function closeWith(socket: WebSocket, problem: { readonly status: number; readonly message: string }): void {
  socket.close(codes[problem.status] ?? logCloseCodes.tryLater, toCloseReason(problem.message));
}

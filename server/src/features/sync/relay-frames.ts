import { logCloseCodes } from '@portal/contract/logs';
import { syncTexts } from '@portal/contract/sync-texts';
import type { WebSocket } from 'ws';
import { endWhenSilent } from './end-silent-socket.ts';
import type { SyncSocketLimits } from './sync-socket-limits.ts';

/**
 * Says `first` to the service, and passes on to the viewer whatever comes, up to the code and
 * reason it is closed with. While the viewer takes nothing, nothing is read from the service: what
 * waits, waits there.
 */
export function relayFrames(
  viewer: WebSocket,
  service: WebSocket,
  first: string,
  { bufferedBytes, beatMs, silentBeats }: Pick<SyncSocketLimits, 'bufferedBytes' | 'beatMs' | 'silentBeats'>,
): void {
  const pulse = endWhenSilent(viewer, beatMs, silentBeats.viewer);
  endWhenSilent(service, beatMs, silentBeats.service).alive();

  const onSent = (error?: Error) => {
    if (error) return;
    pulse.alive();
    if (service.isPaused && viewer.bufferedAmount <= bufferedBytes) service.resume();
  };
  service.on('open', () => service.send(first));
  service.on('message', (data, isBinary) => {
    viewer.send(data, { binary: isBinary }, onSent);
    if (viewer.bufferedAmount > bufferedBytes) service.pause();
  });
  // 'close' follows, and says all there is to say.
  service.on('error', () => undefined);
  service.on('close', (code, reason) => {
    if (isToBePassedOn(code)) viewer.close(code, reason);
    else viewer.close(logCloseCodes.tryLater, syncTexts.badGateway);
  });
  viewer.once('close', () => service.terminate());
  if (viewer.readyState !== viewer.OPEN) service.terminate();
}

/**
 * Not those that only say how a connection broke, nor that the service does not know the server.
 */
function isToBePassedOn(code: number): boolean {
  if (code === logCloseCodes.notSignedIn) return false;
  return code === 1000 || code === logCloseCodes.goingAway || code === logCloseCodes.tryLater || code >= 3000;
}

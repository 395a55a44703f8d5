import { logCloseCodes } from '@portal/contract/logs';
import { syncTexts } from '@portal/contract/sync/texts';
import { closeWhenSilent } from '@portal/edge/close-silent-socket';
import type { WebSocket } from 'ws';
import type { SyncSocketLimits } from './sync-socket-limits.ts';

/**
 * Sends `first` to the service and relays its frames and close code to the viewer. While the viewer
 * does not accept data, nothing is read from the service, so that backpressure reaches it.
 */
export function relayFrames(
  viewer: WebSocket,
  service: WebSocket,
  first: string,
  {
    bufferedBytes,
    heartbeatMs,
    silentHeartbeats,
  }: Pick<SyncSocketLimits, 'bufferedBytes' | 'heartbeatMs' | 'silentHeartbeats'>,
): void {
  const activity = closeWhenSilent(viewer, heartbeatMs, silentHeartbeats.viewer);
  closeWhenSilent(service, heartbeatMs, silentHeartbeats.service).markActive();

  const onSent = (error?: Error) => {
    if (error) return;
    activity.markActive();
    if (service.isPaused && viewer.bufferedAmount <= bufferedBytes) service.resume();
  };
  service.on('open', () => service.send(first));
  service.on('message', (data, isBinary) => {
    viewer.send(data, { binary: isBinary }, onSent);
    if (viewer.bufferedAmount > bufferedBytes) service.pause();
  });
  // 'close' follows and carries the details.
  service.on('error', () => undefined);
  service.on('close', (code, reason) => {
    if (isForwardable(code)) viewer.close(code, reason);
    else viewer.close(logCloseCodes.tryLater, syncTexts.badGateway);
  });
  viewer.once('close', () => service.terminate());
  if (viewer.readyState !== viewer.OPEN) service.terminate();
}

/**
 * Excludes codes that only describe a broken connection, and the service's rejection of the server
 * itself.
 */
function isForwardable(code: number): boolean {
  if (code === logCloseCodes.notSignedIn) return false;
  return code === 1000 || code === logCloseCodes.goingAway || code === logCloseCodes.tryLater || code >= 3000;
}

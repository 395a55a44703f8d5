import { batchFrameSchema, logSocket } from '@portal/contract/logs';
import type { LogWire } from '../../logs/log-wire.ts';

/** Creates the log socket protocol of an app. */
export function appLogWire(appId: string, baseUrl: string): LogWire {
  return {
    path: logSocket.paths[0].replace(':appId', encodeURIComponent(appId)),
    key: `app ${appId}`,
    open: (hello) => ({
      firstFrame: { baseUrl, ...hello },
      read(data) {
        const frame = batchFrameSchema.safeParse(data);
        return [frame.success ? { type: 'frame', frame: frame.data } : { type: 'garbled' }];
      },
      readClose: (code) => ({ type: 'closed', code }),
    }),
  };
}

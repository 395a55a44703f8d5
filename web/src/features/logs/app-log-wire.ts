import type { App } from '@portal/contract/apps';
import { batchFrameSchema, logSocket, logStart } from '@portal/contract/logs';
import { formatCount } from '../../format/numbers.ts';
import type { LogWire } from '../../logs/stream/log-wire.ts';

/** Creates the log socket protocol of an app. */
export function appLogWire({ id, schemaName }: Pick<App, 'id' | 'schemaName'>, baseUrl: string): LogWire {
  return {
    path: logSocket.paths[0].replace(':appId', encodeURIComponent(id)),
    key: `app ${id}`,
    startNote:
      `Starts with the last ${logStart.minutes} minutes before it was opened, at most ${formatCount(logStart.lines)} lines. ` +
      `Older lines are in the app's database, in the table ${schemaName}.__logging_log__.`,
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

import type { ServiceWords } from '@portal/edge/describe-problem';
import { Conflict, Unreachable } from '@portal/kit/problems';
import { LeaseLostError } from '../integration/lease-lost-error.ts';

/** PostgreSQL's error code of a statement timeout. */
const queryCanceled = '57014';

export const serviceWords: ServiceWords = {
  name: 'The sync service',
  log: 'the log of the sync service',
  translate(error) {
    if (error instanceof LeaseLostError)
      return new Conflict('The integration is moving to another process. Try again in a moment.', { cause: error });
    // Which database it was, the portal's or an app's, is not known here.
    if (error instanceof Error && 'code' in error && error.code === queryCanceled)
      return new Unreachable('The database took too long to respond. Request less data, or try again.', {
        timedOut: true,
        cause: error,
      });
    return error;
  },
};

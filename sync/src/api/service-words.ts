import type { ServiceWords } from '@portal/edge/describe-problem';
import { Conflict } from '@portal/kit/problems';
import { LeaseLostError } from '../integration/lease-lost-error.ts';

export const serviceWords: ServiceWords = {
  name: 'The sync service',
  // The portal's, or that of an app: which one it was is not known.
  database: 'The database',
  log: 'the log of the sync service',
  translate(error) {
    if (error instanceof LeaseLostError)
      return new Conflict('The integration is moving to another process. Try again in a moment.', { cause: error });
    return error;
  },
};

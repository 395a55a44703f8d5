import type { ServiceWords } from '@portal/edge/describe-problem';

export const portalWords: ServiceWords = { name: 'The portal', log: 'the log' };

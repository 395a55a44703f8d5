import type { ServiceWords } from '@portal/edge/describe-problem';

export const portalWords: ServiceWords = { name: 'The portal', database: "The portal's database", log: 'the log' };

import type { Tone as SpecifiedTone } from '@portal/contract/app-config';

/** What a colour means. `neutral` is for what needs no attention. */
export type Tone = SpecifiedTone | 'neutral';

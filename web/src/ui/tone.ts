/** What a colour means. `neutral` is for what needs no attention. */
export type Tone = 'primary' | 'success' | 'warning' | 'danger' | 'neutral';

/** The meaning of a color. `neutral` needs no attention. */
export type Tone = 'primary' | 'success' | 'warning' | 'danger' | 'neutral';

import { Conflict } from '@portal/kit/problems';

/**
 * The state beside the rows was created by another version: no attempt can succeed before someone
 * drops it.
 */
export class StateVersionMismatch extends Conflict {}

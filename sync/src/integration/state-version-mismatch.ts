import { Conflict } from '@portal/kit/problems';

/**
 * The state schema in the Helium database was created by another version. No retry can succeed
 * until it is dropped.
 */
export class StateVersionMismatch extends Conflict {}

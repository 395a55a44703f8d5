/** Stops the run until an operator fixes the cause. */
export class HaltError extends Error {
  override readonly name = 'HaltError';
  /** Where the run stopped, for people: a version or an object. */
  readonly position: string;

  constructor(reason: string, position = '') {
    super(reason);
    this.position = position;
  }
}

/** It cannot go on unless somebody acts. */
export class HaltError extends Error {
  override readonly name = 'HaltError';
  /** Where, in words: a version, an object. */
  readonly position: string;

  constructor(reason: string, position = '') {
    super(reason);
    this.position = position;
  }
}

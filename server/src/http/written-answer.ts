/**
 * An answer of many megabytes that is written already: the engine's own JSON takes half the time of the contract's,
 * which leaves out what it does not name. So only for what is made field by field.
 */
export class WrittenAnswer<T> {
  readonly answer: T;
  readonly bytes: Buffer;

  constructor(answer: T) {
    this.answer = answer;
    this.bytes = Buffer.from(JSON.stringify(answer));
  }
}

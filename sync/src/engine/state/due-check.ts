/** The DueCheck notes that something is to be checked, until a check has succeeded. */
export class DueCheck {
  #isDue = false;

  get isDue(): boolean {
    return this.#isDue;
  }

  request(): void {
    this.#isDue = true;
  }

  /** Runs the check. It stays due when it fails, or when it is requested while it runs. */
  async run<T>(check: () => Promise<T>): Promise<T> {
    this.#isDue = false;
    try {
      return await check();
    } catch (error) {
      this.#isDue = true;
      throw error;
    }
  }
}

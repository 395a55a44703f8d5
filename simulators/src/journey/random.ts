/** A random number generator that repeats its numbers for the same seed. */
export interface Random {
  /** An integer from 0 to less than the bound. */
  below(bound: number): number;
  /** Undefined for an empty list. */
  pick<T>(choices: readonly T[]): T | undefined;
  /** A version 4 UUID in lower case. */
  uuid(): string;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // A Weyl sequence with mixed bits: 32 uniform bits per step.
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const below = (bound: number) => Math.floor((next() / 2 ** 32) * bound);
  return {
    below,
    pick: (choices) => choices[below(choices.length)],
    uuid() {
      const bytes = Buffer.from(Array.from({ length: 16 }, () => below(256)));
      bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
      bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
      const hex = bytes.toString('hex');
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
    },
  };
}

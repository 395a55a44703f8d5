/** Returns the next smaller UUID, to read from. */
export function previousId(id: string): string | null {
  const number = BigInt(`0x${id.replaceAll('-', '')}`) - 1n;
  if (number < 0n) return null;
  const digits = number.toString(16).padStart(32, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns the text with each number and its unit on one line, as the page shows them. */
export function joinUnits(text: string): string {
  return text.replaceAll(/(\d) (?=[a-zµ%])/gi, '$1\u00a0');
}

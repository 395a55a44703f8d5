/** Returns the words of a text and the space between them, which joined are the text again. */
export function splitWords(text: string): string[] {
  return text.split(/(?<=\s)(?=\S)|(?<=\S)(?=\s)/);
}

/** A part of a text: one hidden character by its name, such as "U+202E", or what is between two. */
interface TextPart {
  readonly text: string;
  readonly isHidden: boolean;
}

/** Direction marks, zero-width characters and other characters that draw nothing themselves. */
const hiddenCharacter = /([\p{Cf}\p{Cc}])/u;

/**
 * Splits a text at its hidden characters, so that they can be drawn. They could make a name look
 * like another one.
 */
export function splitAtHidden(text: string): readonly TextPart[] {
  return text
    .split(hiddenCharacter)
    .map((part, index) => ({ text: index % 2 === 0 ? part : nameCharacter(part), isHidden: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}

/**
 * Returns the text with its hidden characters replaced by their names, where only plain text fits.
 */
export function replaceHidden(text: string): string {
  return splitAtHidden(text)
    .map((part) => part.text)
    .join('');
}

function nameCharacter(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

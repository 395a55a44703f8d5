/** The best candidates, and how many more match. */
export interface Ranking<T> {
  readonly best: readonly T[];
  readonly moreCount: number;
}

/** Ranks the candidates with a positive score, highest first. Equal ones keep their order. */
export function rank<T>(candidates: readonly T[], score: (candidate: T) => number, limit: number): Ranking<T> {
  const matches = candidates
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .filter((scored) => scored.score > 0)
    .toSorted((a, b) => b.score - a.score);
  return {
    best: matches.slice(0, limit).map(({ candidate }) => candidate),
    moreCount: Math.max(0, matches.length - limit),
  };
}

export function splitWords(search: string): string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean);
}

/**
 * Scores how well the words match, in any order: 0 if any word is missing. A whole text scores
 * highest, then its prefix, then a word prefix, then any other match. Earlier texts score higher
 * than later ones.
 */
export function scoreTexts(words: readonly string[], texts: readonly string[]): number {
  if (words.length === 0) return 1;
  let sum = 0;
  for (const word of words) {
    let bestWordScore = 0;
    texts.forEach((text, index) => {
      bestWordScore = Math.max(bestWordScore, scoreMatch(text.toLowerCase(), word) - index);
    });
    if (bestWordScore === 0) return 0;
    sum += bestWordScore;
  }
  return sum / words.length;
}

function scoreMatch(text: string, word: string): number {
  if (text === word) return 40;
  if (text.startsWith(word)) return 30;
  if (startsWord(text, word)) return 20;
  return text.includes(word) ? 10 : 0;
}

/** Whether a word of the text starts with this one. */
export function startsWord(text: string, word: string): boolean {
  let from = text.indexOf(word);
  while (from >= 0) {
    if (from === 0 || !/[a-z0-9]/.test(text.charAt(from - 1))) return true;
    from = text.indexOf(word, from + 1);
  }
  return false;
}

/**
 * Orders versions as Maven does (https://maven.apache.org/pom.html#version-order-specification):
 * numbers by value, then known words by release stage, then other words alphabetically.
 */

interface Token {
  /**
   * The preceding separator. A change between digits and letters counts as '-', and so does any
   * separator before a word.
   */
  readonly separator: '.' | '-';
  readonly text: string;
  readonly isNumber: boolean;
}

const released = '';
const releaseStages = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', released, 'sp'];
const synonyms: Readonly<Record<string, string>> = { cr: 'rc', ga: released, final: released, release: released };
const abbreviations: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', m: 'milestone' };

/**
 * Returns less than zero when `a` comes before `b`, and zero for equivalent versions such as 1.0
 * and 1.0.0-final.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [tokenize(a), tokenize(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const order = compareTokens(left[index], right[index]);
    if (order !== 0) return order;
  }
  return 0;
}

/**
 * Whether the version is a snapshot, such as `2.0-SNAPSHOT` or its build `2.0-20260131.101500-3`.
 */
export function isSnapshot(version: string): boolean {
  return /(^|[.-])snapshot$/i.test(version) || /-\d{8}\.\d{6}-\d+$/.test(version);
}

function tokenize(version: string): Token[] {
  const separated = version
    .toLowerCase()
    .replace(/(?<![a-z])[abm](?=\d)/g, (word) => abbreviations[word] ?? word)
    .replace(/\d(?=[^\d.-])|[^\d.-](?=\d)/g, '$&-');
  const tokens = (`.${separated}`.match(/[.-][^.-]*/g) ?? []).map(toToken);
  // Zeros and "final" have no meaning at the end of a version or before a '-'.
  const significant: Token[] = [];
  for (const token of tokens.toReversed()) {
    const isEnd = significant[0] === undefined || significant[0].separator === '-';
    if (!(isEnd && isNeutral(token))) significant.unshift(token);
  }
  return significant;
}

function toToken(written: string): Token {
  const text = written.slice(1) || '0';
  const isNumber = /^\d/.test(text);
  if (!isNumber) return { separator: '-', text: synonyms[text] ?? text, isNumber };
  return { separator: written.startsWith('-') ? '-' : '.', text: text.replace(/^0+(?=\d)/, ''), isNumber };
}

function isNeutral({ text }: Token): boolean {
  return text === '0' || text === released;
}

/** Compares two tokens; a missing token counts as a neutral one. */
function compareTokens(a: Token | undefined, b: Token | undefined): number {
  const [left, right] = [a ?? toNeutral(b), b ?? toNeutral(a)];
  if (left.isNumber !== right.isNumber) return left.isNumber ? 1 : -1;
  if (!left.isNumber) return compareWords(left.text, right.text);
  if (left.separator !== right.separator) return left.separator === '.' ? 1 : -1;
  return left.text.length - right.text.length || compareTexts(left.text, right.text);
}

function toNeutral(token: Token | undefined): Token {
  return token?.isNumber ? { ...token, text: '0' } : { separator: '-', text: released, isNumber: false };
}

function compareWords(a: string, b: string): number {
  const [left, right] = [a, b].map((word) => {
    const stage = releaseStages.indexOf(word);
    return stage < 0 ? releaseStages.length : stage;
  });
  return (left ?? 0) - (right ?? 0) || compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

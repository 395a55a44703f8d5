import { formatPlural } from '../../format/numbers.ts';

const kinds = ['email', 'phone', 'identity', 'reference', 'pin', 'token', 'password'] as const;
type MaskedKind = (typeof kinds)[number];

/** The mask of each kind, and its name for one and for several. */
const labels: Readonly<Record<MaskedKind, readonly [mask: string, one: string, many: string]>> = {
  email: ['[e-mail]', 'e-mail address', 'e-mail addresses'],
  phone: ['[phone]', 'phone number', 'phone numbers'],
  identity: ['[identity]', 'identity number', 'identity numbers'],
  reference: ['[id]', 'id', 'ids'],
  pin: ['[PIN]', 'PIN', 'PINs'],
  token: ['[token]', 'token', 'tokens'],
  password: ['[password]', 'password', 'passwords'],
};

/**
 * One expression, so that nothing is masked twice; the first alternative that fits wins. UUIDs
 * stay, because they are the ids of apps and records. Without look-ahead over long texts, so that a
 * line of a million characters takes no longer than many short ones.
 */
const patterns: Readonly<Record<'uuid' | MaskedKind, string>> = {
  uuid: String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`,
  pin: String.raw`(?<=\bpin["']?\s?[:=]\s?["']?)[^\s"',;&[\]]+|(?<=\b(?:pin|otp|passcode)(?:\s(?:code|number))?(?:\s(?:is|was))?\s)\d{3,8}(?![\w-])`,
  password: String.raw`(?<=\b(?:password|passwd|passphrase|pwd|secret)["']?\s?[:=]\s?["']?)[^\s"',;&[\]]+|(?<=:\/\/[^\s:/@]{1,100}:)[^\s/@[\]]+(?=@)`,
  token: String.raw`(?<=\b(?:bearer|basic)\s)[\w.~+/=-]{8,}|(?<=(?:token|api[_-]?key|authorization|cookie|session(?:[_-]?id)?)["']?\s?[:=]\s?["']?)(?!bearer\b|basic\b)[^\s"',;&[\]]+|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(?=[a-z_-]{0,40}\d)(?=[\d_-]{0,40}[a-z])[\w-]{32,}\b`,
  email: String.raw`[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+`,
  phone: String.raw`(?<![\w.])\+\d(?:[ ()-]{0,2}\d){7,14}(?!\d)|(?<![\w.:-])0\d{2}[ -]?\d{3}[ -]?\d{4}(?![\w.])`,
  // Numbers of 13 digits that do not start with a date of birth are mostly times in milliseconds.
  identity: String.raw`(?<![\w.-])(?:\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{7}|\d{9,12}|\d{14,16}|\d{6}\/\d{2}\/\d)(?![\w-]|\.\d)`,
  // Of a person, or letters and a number with zeros in front; not of five characters like SQLSTATE.
  reference: String.raw`(?<=\b(?:patient|client|customer|member|beneficiary|household|farmer|grower|dealer|caregiver|health worker)(?:\s(?:id|no|number))?[\s:=#]{1,3})[a-z]{0,6}\d+(?![\w-]|\.\d)|\b(?=[a-z\d]{6})[a-z]{1,6}(?:0\d{2,}|\d{5,})(?![\w-])`,
};
const pattern = new RegExp(
  Object.entries(patterns)
    .map(([kind, source]) => `(?<${kind}>${source})`)
    .join('|'),
  'gi',
);

/** Masks what looks like one of the kinds, and returns how many of each. */
export function maskForTicket(text: string): { text: string; counts: Readonly<Record<MaskedKind, number>> } {
  const counts = { email: 0, phone: 0, identity: 0, reference: 0, pin: 0, token: 0, password: 0 };
  const masked = text.replaceAll(pattern, (...match) => {
    const groups: Partial<Record<MaskedKind, string>> = match.at(-1);
    const kind = kinds.find((each) => groups[each] !== undefined);
    if (kind === undefined) return match[0];
    counts[kind] += 1;
    return labels[kind][0];
  });
  return { text: masked, counts };
}

const names = kinds.map((kind) => labels[kind][2]);

/** States what is looked for, and that names of people and free text cannot be recognized. */
export const maskedKinds = `Looks for ${new Intl.ListFormat('en').format(names)}. Names and other text stay: read it before you share it.`;

/** "Masked 1 e-mail address and 2 tokens.", and what was looked for. */
export function describeMasked(counts: Readonly<Record<MaskedKind, number>>): string {
  const parts = kinds.flatMap((kind) => {
    const [, one, many] = labels[kind];
    return counts[kind] > 0 ? [formatPlural(counts[kind], one, many)] : [];
  });
  const found = parts.length === 0 ? 'Nothing was masked.' : `Masked ${new Intl.ListFormat('en').format(parts)}.`;
  return `${found} ${maskedKinds}`;
}

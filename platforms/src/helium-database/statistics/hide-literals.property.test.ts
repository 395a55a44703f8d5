import { findTestVersions, type TestServer } from '@portal/kit/postgres/test-versions';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hideLiterals } from './hide-literals.ts';

// cspell:ignore cret
const secret = 'S3cret';
const secretContent = fc
  .tuple(text('\'"\\$-/* \nab;é'), text('\'"\\$-/* \nab;é'))
  .map(([before, after]) => before + secret + after);
const word = fc.constantFrom('login', 'a$b$c', 'x1$', 'é', 'SET', 'to', 'E', 'U&', '$1', '(', ',', '-', '/', '*', '=');
const space = fc.constantFrom(' ', '\n', '\t', '  ');

const dollarQuoted = fc
  .tuple(fc.constantFrom('', 'a', '_é1'), fc.constantFrom('', 'b', 'a1'), secretContent)
  .filter(([tag, inner]) => tag !== inner)
  .map(([tag, inner, content]) => {
    const safe = content.replaceAll('$', '');
    return `$${tag}$ ${safe}${inner === '' ? '' : ` $${inner}$ ${safe} $${inner}$`} $${tag}$`;
  });
/** Every form in which a statement can contain a secret, complete with its closing quote. */
const literal = fc.oneof(
  fc
    .tuple(fc.constantFrom('', 'N', 'B', 'X', 'U&', 'u&'), secretContent)
    .map(([prefix, content]) => `${prefix}'${content.replaceAll("'", "''").replaceAll('\\', '')}'`),
  secretContent.map((content) => `e'${content.replace(/['\\]/g, '\\$&')}'`),
  // Before the setting standard_conforming_strings, a backslash escaped in plain literals too.
  secretContent.map((content) => `'${content.replace(/['\\]/g, '\\$&')}'`),
  secretContent.map((content) => `'first'\n'${content.replaceAll("'", "''").replaceAll('\\', '')}'`),
  dollarQuoted,
);
const comment = fc.oneof(
  secretContent.map((content) => `--${content.replaceAll('\n', '')}\n`),
  secretContent.map((content) => `/*${content.replace(/[*/]/g, '')}*/`),
  secretContent.map((content) => `/* /*${content.replace(/[*/]/g, '')}*/ ${secret} */`),
);
const identifier = fc.constantFrom('"plain"', '"o\'neil"', '"--"', '"/*"', '"$$"', '"a""b"', '"\\"');
const unclosed = secretContent.chain((content) =>
  fc.constantFrom(
    `'${content.replaceAll("'", "''").replaceAll('\\', '')}`,
    `$$ ${content.replaceAll('$', '')}`,
    `/* ${content.replace(/[*/]/g, '')}`,
  ),
);

/** Joins tokens by spaces, so that no word becomes the prefix of the next token. */
const join = (tokens: fc.Arbitrary<string>) =>
  fc.array(fc.tuple(tokens, space), { maxLength: 6 }).map((parts) => parts.flat().join(''));

const utility = fc
  .tuple(
    fc.constantFrom('create role x', 'alter user', 'DO', 'set', 'copy t from program', '(create', '/* a */ call', ''),
    join(fc.oneof(word, literal, comment, identifier)),
    fc.option(unclosed, { nil: '' }),
  )
  .map((parts) => parts.join(' '));
const unnormalized = fc
  .tuple(
    fc.constantFrom('select', 'INSERT INTO', 'with x as (', "-- it's\n update", '/* don"t */ ( values'),
    join(
      fc.oneof(
        word.filter((each) => each !== '$1'),
        literal,
        identifier,
      ),
    ),
    literal,
    fc.constantFrom('', ' into t', " -- it's"),
  )
  .map((parts) => parts.join(' '));
/** Parameters that the client sent, followed by literals in dollar quotes. */
const withParameters = fc
  .tuple(
    fc.constantFrom(
      'select $1,',
      'INSERT INTO t values ($1,',
      'update t set a = $1, b =',
      'delete from t where a in ($2,',
    ),
    join(fc.constantFrom('$1', '$23', ',', 'a$1', '"a"')),
    dollarQuoted,
    fc.constantFrom('', ' into t', ', $2', ' and b = $3 into t'),
  )
  .map((parts) => parts.join(' '));
const normalized = fc
  .tuple(
    fc.constantFrom('select', 'INSERT INTO t', "-- it's\n update", '/* don"t */ ( values', 'merge into', 'Table'),
    join(fc.oneof(word, identifier, fc.constantFrom('$1', "/* it's */", '-- "hi\n', '/*, ... */'))),
  )
  .map((parts) => parts.join(' '));

describe.each(findTestVersions())('literals of statements on $name', ({ start }) => {
  let postgres: TestServer;
  let client: pg.Client;

  beforeAll(async () => {
    postgres = await start();
    client = new pg.Client(postgres.url);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await postgres.stop();
  });

  const hide = async (texts: readonly string[]) => {
    const { rows } = await client.query<{ shown: string }>(
      `select ${hideLiterals('query')} as shown
       from unnest($1::text[]) with ordinality as texts (query, at) order by at`,
      [texts],
    );
    return rows.map(({ shown }) => shown);
  };
  const check = (texts: fc.Arbitrary<string>, expectation: (text: string, shown: string) => void) =>
    fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 20, maxLength: 20 }), async (all) => {
        const shown = await hide(all);
        for (const [at, text] of all.entries()) expectation(text, shown[at] ?? '');
      }),
      { numRuns: 30 },
    );

  it('are never shown of a utility statement, whatever their quotes', async () => {
    await check(utility, (text, shown) => expect(shown, text).not.toContain(secret));
  });

  it('are never shown of a query that is not normalized', async () => {
    await check(unnormalized, (text, shown) => expect(shown, text).not.toContain(secret));
  });

  it('are never shown after parameters of a query that is not normalized', async () => {
    await check(withParameters, (text, shown) => expect(shown, text).not.toContain(secret));
  });

  it('are absent from normalized statements, which are shown unchanged', async () => {
    await check(normalized, (text, shown) => expect(shown).toBe(text));
  });

  it('are hidden without an error in any text', async () => {
    const anything = fc.string({ unit: 'grapheme' }).map((each) => each.replaceAll('\0', ''));
    await check(anything, (text, shown) => expect(text === '' || shown !== '', text).toBe(true));
  });
});

function text(characters: string) {
  return fc.string({ unit: fc.constantFrom(...characters), maxLength: 5 });
}

import { expect, it } from 'vitest';
import { describeAnswer } from './describe-answer.ts';

const describe = (body: string, contentType = 'text/html', secrets: readonly string[] = []) =>
  describeAnswer(
    { status: 403, headers: new Headers({ 'content-type': contentType }), bytes: Buffer.from(body) },
    secrets,
  );

it('shows the first words of a page as plain text, without scripts, styles and markup', () => {
  const page = `<!doctype html><head><style>p { color: red }</style><script>alert("x")</script></head>
    <!-- of a firewall --><body>Access&nbsp;denied<br>by <b onclick="x">policy</b> &lt;7&gt; &amp; more</body>`;
  expect(describe(page)).toBe('status 403, text/html: "Access denied by policy <7> & more"');
});

it('cuts long words, and drops control characters and halves of characters', () => {
  expect(describe(`a\u0000\u0007b\u202ec ${'x'.repeat(500)}`)).toMatch(/: "a b c x{114}…"$/);
  expect(describe('\ud800 half')).toBe('status 403, text/html: "half"');
});

it('shows only what the answer has', () => {
  expect(describe('', '')).toBe('status 403');
  expect(describe('<p></p>')).toBe('status 403, text/html');
  expect(describe('words', 'text/"evil\u00e9; charset=x')).toBe('status 403: "words"');
});

it('shows no words of an answer that repeats a secret, even behind its first words', () => {
  expect(describe(`${'x '.repeat(200)}hunter2`, 'text/plain', ['hunter2'])).toBe('status 403, text/plain');
});

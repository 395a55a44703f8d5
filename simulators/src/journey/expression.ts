/**
 * Parses the expressions of `query.json`: `(region_id = ? and age >= ?)`, in which each `?` takes
 * the next argument.
 *
 *   expression = all { "or" all }      all = one { "and" one }      one = "(" expression ")" | field operator value
 *
 * Values can also be literals: numbers, quoted text, true, false, null.
 */
import { invalidRequest } from './api-problem.ts';
import { type Condition, operators, toColumn } from './conditions.ts';
import type { Model } from './data-model.ts';

const tokenPattern =
  /\s*(?:(?<operator>!=|<=|>=|=|<|>|contains\b|starts\s+with\b|not\s+in\b|in\b)|(?<word>and\b|or\b|true\b|false\b|null\b|[()?])|(?<name>[A-Za-z_]\w*)|(?<number>-?\d+(?:\.\d+)?)|(?<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))\s*/y;

interface Token {
  readonly kind: 'operator' | 'word' | 'name' | 'number' | 'text';
  readonly text: string;
}

/** Deeper than any real expression, and shallow enough for the stack. */
const maxDepth = 100;

/** An empty expression selects every object. */
export function parseExpression(model: Model, expression: string, args: readonly unknown[]): Condition {
  const tokens = tokenize(expression);
  if (tokens.length === 0) return { all: [] };
  let position = 0;
  let argument = 0;
  const peek = () => tokens[position];
  const takeWord = (text: string) => {
    const found = peek()?.kind === 'word' && peek()?.text === text;
    if (found) position += 1;
    return found;
  };
  const take = (): Token => {
    const token = tokens[position++];
    if (token === undefined) throw invalidRequest('The expression ends too early.');
    return token;
  };
  const list = (word: string, part: () => Condition): readonly Condition[] => {
    const parts = [part()];
    while (takeWord(word)) parts.push(part());
    return parts;
  };
  const any = (depth: number): Condition => ({ any: list('or', () => ({ all: list('and', () => one(depth)) })) });
  const one = (depth: number): Condition => {
    if (!takeWord('(')) return comparison();
    if (depth >= maxDepth) throw invalidRequest('The expression is nested too deeply.');
    const inside = any(depth + 1);
    if (!takeWord(')')) throw invalidRequest('A parenthesis is not closed.');
    return inside;
  };
  const comparison = (): Condition => {
    const field = take();
    const operator = take();
    const known = operators.find((one) => one === operator.text);
    if (field.kind !== 'name' || operator.kind !== 'operator' || known === undefined)
      throw invalidRequest(`'${field.text} ${operator.text}' is not a comparison.`);
    return { column: toColumn(model, field.text), operator: known, operand: value() };
  };
  const value = (): unknown => {
    const { kind, text } = take();
    if (kind === 'word' && text === '?') {
      if (argument >= args.length) throw invalidRequest('There are fewer arguments than question marks.');
      return args[argument++] ?? null;
    }
    if (kind === 'number') return Number(text);
    if (kind === 'word' && /^[tfn]/.test(text)) return text === 'null' ? null : text === 'true';
    if (kind === 'text') return text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
    throw invalidRequest(`'${text}' is not a value.`);
  };

  const condition = any(0);
  if (position < tokens.length) throw invalidRequest(`'${peek()?.text}' is unexpected.`);
  if (argument < args.length) throw invalidRequest('There are more arguments than question marks.');
  return condition;
}

function tokenize(expression: string): Token[] {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < expression.trimEnd().length) {
    const at = tokenPattern.lastIndex;
    const groups = tokenPattern.exec(expression)?.groups;
    if (groups === undefined)
      throw invalidRequest(`The expression cannot be parsed from '${expression.slice(at, at + 20)}'.`);
    for (const kind of ['operator', 'word', 'name', 'number', 'text'] as const) {
      const text = groups[kind];
      if (text !== undefined) tokens.push({ kind, text: kind === 'operator' ? text.replaceAll(/\s+/g, ' ') : text });
    }
  }
  return tokens;
}

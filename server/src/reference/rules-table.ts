import type { Recorded } from '@portal/contract/rules';
import { callers, type Declared, deriveOutcomes } from './caller-outcomes.ts';
import { listDeclared } from './declared-calls.ts';

const start = '<!-- Generated from the contract by npm run generate. -->';
const end = '<!-- End of the generated table. -->';

/** Replaces the generated part of the page with the rules of every call and socket. */
export function writeRulesTable(page: string): string {
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The page must have the lines ${start} and ${end}`);
  return `${page.slice(0, from)}${start}\n${writeTable()}\n${page.slice(to)}`;
}

function writeTable(): string {
  const rows = [...listDeclared()].map(([name, declared]) => [name, ...toCells(declared)]);
  const header = ['Call', 'Who may', 'About', 'Recorded', 'Cost', ...Object.values(callers)];
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function toCells(declared: Declared): string[] {
  const { may, about, recorded, cost } = declared;
  const subjects = Object.entries(about).map(([subject, field]) =>
    field === null ? subject : `${subject}: \`${field}\``,
  );
  return [
    may,
    subjects.join(', ') || '–',
    recorded ? listActions(recorded) : '–',
    `${cost.class}, ${cost.maxBodyBytes / 1024} kB`,
    ...Object.values(deriveOutcomes(declared)).map(String),
  ];
}

function listActions({ action }: Recorded): string {
  return (typeof action === 'string' ? [action] : action).join(', ');
}

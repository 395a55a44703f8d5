import { endpoints, sockets } from '@portal/contract/endpoints';
import type { Recorded, Rules } from '@portal/contract/rules';

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
  const rows = [
    ...endpoints.map((each) => [`\`${each.method} ${each.path}\``, ...toCells(each)]),
    ...sockets.flatMap(({ paths: [path], rules }) =>
      Object.entries<Rules>(rules).map(([frame, each]) => [`\`WebSocket ${path}\`, ${frame}`, ...toCells(each)]),
    ),
  ];
  const header = ['Call', 'Who may', 'About', 'Recorded', 'Cost'];
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function toCells({ may, about, recorded, cost }: Rules): string[] {
  const subjects = Object.entries(about).map(([subject, field]) =>
    field === null ? subject : `${subject}: \`${field}\``,
  );
  return [
    may,
    subjects.join(', ') || '–',
    recorded ? listActions(recorded) : '–',
    `${cost.class}, ${cost.maxBodyBytes / 1024} kB`,
  ];
}

function listActions({ action }: Recorded): string {
  return (typeof action === 'string' ? [action] : action).join(', ');
}

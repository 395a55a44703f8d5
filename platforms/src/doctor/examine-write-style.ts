import type { HeliumDialect } from '../helium/dialect/dialect.config.ts';
import type { Section } from './report.ts';
import { writeSuggestion } from './write-suggestion.ts';

/**
 * Reports that the write style of app configurations must be confirmed on a test app. It cannot be
 * read, and the wrong one removes settings.
 */
export function examineWriteStyle(environment: string, dialect: HeliumDialect, suggested: HeliumDialect): Section {
  const configured = dialect.appConfig.write.style;
  const style = configured ?? suggested.appConfig.write.style ?? 'merge';
  return {
    title: 'Write style of app configurations',
    lines: [
      configured === undefined
        ? '`helium.appConfig.write.style` is not set. Changes are sent as with `merge`, and rights are not asked for.'
        : `\`helium.appConfig.write.style\` is \`${configured}\`.`,
      'It cannot be seen by reading. Confirm it on an app whose settings do not matter:',
      'In the portal, lock the app, set the timeouts of two entry points one after the other, remove one, and unlock the app.',
      `If the portal reports no difference, \`${style}\` is right. Otherwise set \`${style === 'merge' ? 'whole' : 'merge'}\`.`,
      ...(configured === undefined ? ['Then set what is right:', ...writeLines(environment, dialect, style)] : []),
    ],
    isGood: configured !== undefined,
    isPublic: true,
  };
}

function writeLines(environment: string, dialect: HeliumDialect, style: 'merge' | 'whole'): string[] {
  const { appConfig } = dialect;
  const confirmed = { ...dialect, appConfig: { ...appConfig, write: { ...appConfig.write, style } } };
  return writeSuggestion(environment, dialect, confirmed);
}

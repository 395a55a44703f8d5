import { Fragment } from 'react';

/**
 * A value in a narrow cell. A list may wrap after its commas; no characters are added, so that it
 * can be copied.
 */
export function BreakableText({ text }: { text: string | null }) {
  if (text === null) return '–';
  const [first = '', ...others] = text.split(',');
  let at = first.length;
  return (
    <>
      {first}
      {others.map((name) => {
        at += name.length + 1;
        return (
          <Fragment key={at}>
            ,<wbr />
            {name}
          </Fragment>
        );
      })}
    </>
  );
}

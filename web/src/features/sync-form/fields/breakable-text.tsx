import { Fragment } from 'react';

/**
 * A value in a narrow cell: a list may be broken behind its commas, which stay all there is between
 * its names.
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

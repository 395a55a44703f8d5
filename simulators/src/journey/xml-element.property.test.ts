/** The simulated Journey reads a data model's XML as the parser of Journey's own tools does. */

import { findSecondReader } from '@portal/platforms/second-readers.fixture';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseXml, type XmlElement } from './xml-element.ts';

/** As far as this test uses core-xml and its DOM. */
interface Node {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string;
  readonly childNodes: ArrayLike<Node>;
  readonly attributes: ArrayLike<{ readonly name: string; readonly value: string }> | null;
}
interface CoreXml {
  parse(xml: string): Node;
}

const path = findSecondReader('@journeyapps/core-xml');
const elementType = 1;
const textTypes = [3, 4];

/** The parts of values, including entities and character references. */
const parts = ['a', 'é', ' ', '&amp;', '&lt;', '&gt;', '&quot;', '&apos;', '&#233;', '&#xE9;', '&#x1F33D;', '-', '1'];
const value = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((chosen) => chosen.join(''));
const name = fc.constantFrom('data-model', 'model', 'field', 'option', 'belongs-to');
const attributes = fc.dictionary(fc.constantFrom('name', 'label', 'type', 'key'), value, { noNullPrototype: true });

const { element } = fc.letrec<{ element: string }>((tie) => ({
  element: fc
    .record({
      name,
      attributes,
      content: fc.oneof({ maxDepth: 3 }, value, fc.array(tie('element'), { maxLength: 3 })),
    })
    .map(({ name, attributes, content }) => {
      const written = Object.entries(attributes).map(([key, text]) => ` ${key}="${text}"`);
      return `<${name}${written.join('')}>${typeof content === 'string' ? content : content.join('<!-- next -->\n')}</${name}>`;
    }),
}));

it.skipIf(path === null)('reads every element, attribute and text as core-xml does', async () => {
  const { parse }: CoreXml = await import(path ?? '');
  fc.assert(
    fc.property(element, (xml) => {
      expect(parseXml(xml)).toEqual(Array.from(parse(xml).childNodes).filter(isElement).map(toElement));
    }),
    { numRuns: 500 },
  );
});

function isElement({ nodeType }: Node): boolean {
  return nodeType === elementType;
}

function toElement({ nodeName, attributes, childNodes }: Node): XmlElement {
  const texts = Array.from(childNodes).filter(({ nodeType }) => textTypes.includes(nodeType));
  return {
    name: nodeName,
    attributes: new Map(Array.from(attributes ?? []).map(({ name, value }) => [name, value])),
    children: Array.from(childNodes).filter(isElement).map(toElement),
    text: texts
      .map(({ textContent }) => textContent)
      .join('')
      .trim(),
  };
}

import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

/**
 * The parser's format for ordered children: one key is the element's name, with its attributes next
 * to it.
 */
const Attributes = z.record(z.string(), z.string());
const attributesKey = ':@';
const text = '#text';
const Nodes = z.array(z.record(z.string(), z.unknown()));

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
});

/** Returns the top-level elements, or a sentence that explains why this is not XML. */
export function parseXml(xml: string): readonly XmlElement[] | string {
  const validity = XMLValidator.validate(xml);
  if (validity !== true) return `Line ${validity.err.line}: ${validity.err.msg}`;
  return toElements(parser.parse(xml));
}

function toElements(nodes: unknown): XmlElement[] {
  return Nodes.parse(nodes).flatMap(({ [attributesKey]: attributes, ...node }) => {
    const [name] = Object.keys(node);
    if (name === undefined || name === text) return [];
    const content = node[name];
    return {
      name,
      attributes: new Map(Object.entries(Attributes.parse(attributes ?? {}))),
      children: toElements(content),
      text: getText(content),
    };
  });
}

function getText(nodes: unknown): string {
  return Nodes.parse(nodes)
    .map((node) => node[text] ?? '')
    .join('');
}

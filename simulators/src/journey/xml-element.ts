import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Without blanks at both ends. */
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
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  // It reads character references only together with HTML's entities, which XML does not have.
  processEntities: false,
});

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const reference = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi;

/** Replaces XML's entities and references to characters; any other reference stays as it is. */
function decodeReferences(text: string): string {
  return text.replace(reference, (written, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return entities[name] ?? written;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : written;
  });
}

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
      attributes: new Map(
        Object.entries(Attributes.parse(attributes ?? {})).map(([name, value]) => [name, decodeReferences(value)]),
      ),
      children: toElements(content),
      text: getText(content),
    };
  });
}

function getText(nodes: unknown): string {
  return Nodes.parse(nodes)
    .map((node) => node[text] ?? '')
    .map(String)
    .map(decodeReferences)
    .join('')
    .trim();
}

/** Minimal syntax highlighting for two languages that CodeMirror has no package for. */
import { StreamLanguage, type StringStream } from '@codemirror/language';

const heliumWords = new Set(['persistent', 'object', 'enum', 'unit', 'via', 'return', 'if', 'else', 'for', 'foreach']);
const heliumTypes = new Set([
  'string',
  'int',
  'bigint',
  'decimal',
  'bool',
  'date',
  'datetime',
  'uuid',
  'json',
  'jsonarray',
  'blob',
  'void',
]);

/** The language of Helium apps, which resembles Java. */
export const helium = StreamLanguage.define<null>({
  name: 'helium',
  startState: () => null,
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^\/\/.*/)) return 'comment';
    if (stream.match(/^"[^"]*"/)) return 'string';
    if (stream.match(/^@\w+/)) return 'meta';
    const word = readWord(stream);
    if (heliumWords.has(word)) return 'keyword';
    if (heliumTypes.has(word)) return 'typeName';
    if (/^[A-Z]/.test(word)) return 'className';
    if (word === '') stream.next();
    return null;
  },
});

/** Inside a tag, names and values are highlighted; outside is text. */
interface XmlState {
  within: 'text' | 'tag' | 'comment';
}

export const xml = StreamLanguage.define<XmlState>({
  name: 'xml',
  startState: () => ({ within: 'text' }),
  token(stream, state) {
    if (state.within === 'comment' || stream.match('<!--')) {
      state.within = stream.match(/^.*?-->/) ? 'text' : 'comment';
      if (state.within === 'comment') stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^<\?.*?\?>/)) return 'meta';
    if (stream.match(/^<\/?[\w-]+/)) {
      state.within = 'tag';
      return 'tagName';
    }
    if (state.within === 'text') {
      if (!stream.match(/^[^<]+/)) stream.next();
      return null;
    }
    if (stream.match(/^\/?>/)) {
      state.within = 'text';
      return 'tagName';
    }
    if (stream.match(/^"[^"]*"/)) return 'string';
    if (stream.match(/^[\w-]+/)) return 'attributeName';
    stream.next();
    return null;
  },
});

function readWord(stream: StringStream): string {
  return stream.match(/^\w+/) ? stream.current() : '';
}

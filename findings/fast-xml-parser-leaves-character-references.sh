#!/usr/bin/env bash
# fast-xml-parser 5.12.1 leaves numeric character references as they are, in attributes and in text:
# `Caf&#233;` is read as the nine letters `Caf&#233;`, while `&amp;` and `&lt;` in the same value are
# read. XML 1.0 (4.1) knows both without a declaration. The option that reads them is called
# `htmlEntities` and is off. The builder then writes `&amp;#233;`, so a file that is read and written
# again has another text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund fast-xml-parser@5.12.1 >/dev/null
cat >read.mjs <<'JS'
import { XMLBuilder, XMLParser } from 'fast-xml-parser';
const xml = '<field label="Caf&#233; &amp; bar">Caf&#xE9; &lt;</field>';
const options = { ignoreAttributes: false, attributeNamePrefix: '' };
const show = (more) => JSON.stringify(new XMLParser({ ...options, ...more }).parse(xml).field);
console.log(`as it comes: ${show({})}`);
console.log(`htmlEntities: ${show({ htmlEntities: true })}`);
console.log(`written again: ${new XMLBuilder(options).build(new XMLParser(options).parse(xml))}`);
JS
seen=$(node read.mjs)
expected='as it comes: {"#text":"Caf&#xE9; <","label":"Caf&#233; & bar"}
htmlEntities: {"#text":"Café <","label":"Café & bar"}
written again: <field label="Caf&amp;#233; &amp; bar">Caf&amp;#xE9; &lt;</field>'
echo "$seen"
[ "$seen" = "$expected" ] || { echo "changed: expected $expected"; exit 1; }

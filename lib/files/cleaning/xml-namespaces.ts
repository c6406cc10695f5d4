import type { XmlElement } from "./xml.ts";

/** Namespaces of the formats themselves and of the programs that everybody reads them with. */
const OOXML_NAMESPACES =
  /^(https?:\/\/schemas\.(openxmlformats\.org|microsoft\.com\/office)\/|http:\/\/purl\.oclc\.org\/ooxml\/|urn:schemas-microsoft-com:|http:\/\/www\.w3\.org\/)/i;
const ODF_NAMESPACES =
  /^(urn:(oasis:names:tc:opendocument|org:documentfoundation:names:experimental):|http:\/\/(openoffice\.org|www\.w3\.org|purl\.org\/dc)\/)/i;

const XMLNS = "http://www.w3.org/2000/xmlns/";
const COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006";

type NamespaceFilter = (element: XmlElement) => "keep" | "drop";

/** Creates a filter for one part of an Office Open XML file. */
export const createOoxmlNamespaceFilter = (noteField: (name: string) => void): NamespaceFilter =>
  createNamespaceFilter(OOXML_NAMESPACES, noteField);

/** Creates a filter for one part of an OpenDocument file. */
export const createOdfNamespaceFilter = (noteField: (name: string) => void): NamespaceFilter =>
  createNamespaceFilter(ODF_NAMESPACES, noteField);

/**
 * Drops elements and attributes of other namespaces, with their declarations. Readers ignore those (ECMA-376 part 3,
 * OpenDocument part 3, 3.17), so that a program can store there what it likes.
 */
function createNamespaceFilter(known: RegExp, noteField: (name: string) => void): NamespaceFilter {
  const unknownPrefixes = new Set<string>();
  const isUnknown = (uri: string): boolean => uri !== "" && !known.test(uri);
  return ({ uri, attributes }) => {
    if (isUnknown(uri)) {
      noteField("Author");
      return "drop";
    }
    for (const attribute of attributes) {
      const isDeclaration = attribute.uri === XMLNS;
      if (!isUnknown((isDeclaration ? attribute.value : attribute.uri) ?? "")) continue;
      if (isDeclaration) unknownPrefixes.add(attribute.local);
      else noteField("Author");
      attribute.value = null;
    }
    for (const attribute of attributes)
      if (attribute.uri === COMPATIBILITY && attribute.value && unknownPrefixes.size > 0)
        attribute.value = withoutPrefixes(attribute.value, unknownPrefixes);
    return "keep";
  };
}

/** Prefixes that a reader may ignore have to be declared. */
function withoutPrefixes(list: string, unknown: ReadonlySet<string>): string {
  const all = list.split(/\s+/).filter(Boolean);
  const left = all.filter((name) => !unknown.has(name.split(":")[0] ?? ""));
  return left.length === all.length ? list : left.join(" ");
}

/**
 * Converts an SVG from zrender into one that may be embedded in a page whose content security policy forbids inline
 * styles. Style attributes become presentation attributes; style sheets, classes, scripts, links and unknown attributes
 * are removed. Elements and attributes outside the two allowlists below are dropped, whatever the drawing library adds
 * later; text keeps its escaping.
 * @param prefix makes ids unique on the page
 */
export function sanitizeChartSvg(svg: string, prefix: string): string {
  const withoutSheets = removeDelimited(svg, ["<style", "</style>"], ["<![CDATA[", "]]>"]);
  return withoutSheets
    .replace(
      // Quoted values escape "<", so a tag ends before the next one begins.
      /<(\/?)([^\s<>/"]+)(?=[\s/>])((?:[^"<>]|"[^"<]*")*)>/g,
      (_, close: string, name: string, attributes: string) =>
        ALLOWED_ELEMENTS.has(name)
          ? `<${close}${name}${close ? "" : sanitizeAttributes(attributes, prefix)}>`
          : "",
    )
    .replace(/>\n+</g, "><")
    .trim();
}

/** Removes each pair of delimiters and what is between them; an unclosed one removes the rest of the text. */
function removeDelimited(text: string, ...pairs: [open: string, close: string][]): string {
  return pairs.reduce((rest, [open, close]) => {
    const [before = "", ...parts] = rest.split(open);
    return before + parts.map((part) => part.slice(findEnd(part, close))).join("");
  }, text);
}

function findEnd(part: string, close: string): number {
  const at = part.indexOf(close);
  return at === -1 ? part.length : at + close.length;
}

const ALLOWED_ELEMENTS = new Set([
  "svg",
  "g",
  "path",
  "rect",
  "circle",
  "text",
  "tspan",
  "defs",
  "pattern",
  "clipPath",
]);

const ALLOWED_ATTRIBUTES = new Set(
  `viewBox xmlns width height x y d cx cy r rx ry fill fill-opacity fill-rule opacity stroke stroke-width
  stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset paint-order
  transform clip-path clip-rule id patternUnits patternTransform patternContentUnits dominant-baseline text-anchor`.split(
    /\s+/,
  ),
);

const ALLOWED_STYLES = new Set(["font-size", "font-weight", "font-style", "letter-spacing"]);

function sanitizeAttributes(text: string, prefix: string): string {
  let output = "";
  for (const [, name, value] of text.matchAll(/\s([\w:.-]+)="([^"]*)"/g)) {
    if (name === "style") output += toPresentationAttributes(value!);
    else if (ALLOWED_ATTRIBUTES.has(name!)) output += ` ${name}="${prefixIds(name!, value!, prefix)}"`;
  }
  return output;
}

function toPresentationAttributes(style: string): string {
  return style
    .split(";")
    .map((declaration) => declaration.split(":").map((part) => part.trim()))
    .filter(([name, value]) => ALLOWED_STYLES.has(name!) && /^[\w.%-]+$/.test(value ?? ""))
    .map(([name, value]) => ` ${name}="${value}"`)
    .join("");
}

function prefixIds(name: string, value: string, prefix: string): string {
  if (name === "id") return `${prefix}-${value.replace(ZRENDER_ID_PREFIX, "")}`;
  return value.replace(
    /url\(#([\w-]+)\)/g,
    (_, id: string) => `url(#${prefix}-${id.replace(ZRENDER_ID_PREFIX, "")})`,
  );
}

/** zrender's number of a drawing, which counts up per process; without it, equal data produces equal text. */
const ZRENDER_ID_PREFIX = /^zr\d+-/;

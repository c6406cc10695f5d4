import fs from "node:fs";
import path from "node:path";

type Node = { pattern?: string; literal: Map<string, Node>; named?: Node };

/** The paths of the interface that next.config.mjs leads to others. */
const ALIASES: [prefix: string, of: string][] = [
  ["/events", "/api/events"],
  ["/session", "/api/auth/session"],
  ["/api/session", "/api/auth/session"],
];

/** A route, and what stands in the address for each of its names. `alias`: another address stands for this one. */
export type Route = { pattern: string; params: Record<string, string>; alias: boolean };

/** Reads the routes of a production build. An address may belong to none. */
export function routeFinder(root: string): (url: string) => Route | undefined {
  const top = readTree(root);
  return (url) => {
    const given = url.split(/[?#]/, 1)[0] ?? "";
    const pathname = withoutAlias(given);
    const segments = segmentsOf(pathname);
    const pattern = find(top, segments);
    return pattern === undefined
      ? undefined
      : { pattern, params: paramsIn(pattern, segments), alias: pathname !== given };
  };
}

function paramsIn(pattern: string, segments: readonly string[]): Route["params"] {
  const params: Route["params"] = {};
  for (const [index, name] of segmentsOf(pattern).entries())
    if (name.startsWith("[")) params[name.slice(1, -1)] = segments[index] ?? "";
  return params;
}

function readTree(root: string): Node {
  const file = path.join(root, ".next/app-path-routes-manifest.json");
  const patterns = Object.values(JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, string>);
  // What takes all the rest says that there is nothing.
  return treeOf(patterns.filter((pattern) => !pattern.includes("[...")));
}

function treeOf(patterns: readonly string[]): Node {
  const top: Node = { literal: new Map() };
  for (const pattern of patterns) {
    let node = top;
    for (const segment of segmentsOf(pattern))
      node = segment.startsWith("[") ? (node.named ??= { literal: new Map() }) : below(node, segment);
    node.pattern = pattern;
  }
  return top;
}

function below(node: Node, segment: string): Node {
  const next = node.literal.get(segment) ?? { literal: new Map() };
  node.literal.set(segment, next);
  return next;
}

/** Literal before named, as the router has it. */
function find(node: Node, segments: readonly string[]): string | undefined {
  const [first, ...others] = segments;
  if (first === undefined) return node.pattern;
  const literal = node.literal.get(first);
  return (literal && find(literal, others)) ?? (node.named && find(node.named, others));
}

function withoutAlias(pathname: string): string {
  for (const [prefix, of] of ALIASES)
    if (pathname === prefix || pathname.startsWith(`${prefix}/`)) return of + pathname.slice(prefix.length);
  return pathname;
}

const segmentsOf = (pathname: string): string[] => pathname.split("/").filter(Boolean);

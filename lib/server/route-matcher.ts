import fs from "node:fs";
import path from "node:path";

type RouteNode = { pattern?: string; literal: Map<string, RouteNode>; named?: RouteNode };

/** The paths of the interface that next.config.mjs leads to others. */
const ALIASES: [prefix: string, of: string][] = [
  ["/events", "/api/events"],
  ["/session", "/api/auth/session"],
  ["/api/session", "/api/auth/session"],
];

/** A route, and what stands in the address for each of its names. `alias`: another address stands for this one. */
export type Route = { pattern: string; params: Record<string, string>; alias: boolean };

/** Reads the routes of a production build. An address may belong to none. */
export function createRouteMatcher(root: string): (url: string) => Route | undefined {
  const top = readRouteTree(root);
  return (url) => {
    const given = url.split(/[?#]/, 1)[0] ?? "";
    const pathname = resolveAlias(given);
    const segments = splitPath(pathname);
    const pattern = findPattern(top, segments);
    return pattern === undefined
      ? undefined
      : { pattern, params: readRouteParams(pattern, segments), alias: pathname !== given };
  };
}

function readRouteParams(pattern: string, segments: readonly string[]): Route["params"] {
  const params: Route["params"] = {};
  for (const [index, name] of splitPath(pattern).entries())
    if (name.startsWith("[")) params[name.slice(1, -1)] = segments[index] ?? "";
  return params;
}

function readRouteTree(root: string): RouteNode {
  const file = path.join(root, ".next/app-path-routes-manifest.json");
  const patterns = Object.values(JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, string>);
  // What takes all the rest says that there is nothing.
  return buildRouteTree(patterns.filter((pattern) => !pattern.includes("[...")));
}

function buildRouteTree(patterns: readonly string[]): RouteNode {
  const top: RouteNode = { literal: new Map() };
  for (const pattern of patterns) {
    let node = top;
    for (const segment of splitPath(pattern))
      node = segment.startsWith("[")
        ? (node.named ??= { literal: new Map() })
        : findOrAddChild(node, segment);
    node.pattern = pattern;
  }
  return top;
}

function findOrAddChild(node: RouteNode, segment: string): RouteNode {
  const next = node.literal.get(segment) ?? { literal: new Map() };
  node.literal.set(segment, next);
  return next;
}

/** Literal before named, as the router has it. */
function findPattern(node: RouteNode, segments: readonly string[]): string | undefined {
  const [first, ...others] = segments;
  if (first === undefined) return node.pattern;
  const literal = node.literal.get(first);
  return (literal && findPattern(literal, others)) ?? (node.named && findPattern(node.named, others));
}

function resolveAlias(pathname: string): string {
  for (const [prefix, of] of ALIASES)
    if (pathname === prefix || pathname.startsWith(`${prefix}/`)) return of + pathname.slice(prefix.length);
  return pathname;
}

const splitPath = (pathname: string): string[] => pathname.split("/").filter(Boolean);

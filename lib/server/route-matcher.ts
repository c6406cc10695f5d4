import fs from "node:fs";
import path from "node:path";
import { API_PATH_ALIASES } from "./path-aliases.ts";

type RouteNode = { pattern?: string; literal: Map<string, RouteNode>; named?: RouteNode };

/** A route and its path parameters. `alias` means that the URL was rewritten to another one. */
export type MatchedRoute = { pattern: string; params: Record<string, string>; alias: boolean };

/** Creates a matcher from the routes of a production build; it returns undefined for URLs without a route. */
export function createRouteMatcher(root: string): (url: string) => MatchedRoute | undefined {
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

function readRouteParams(pattern: string, segments: readonly string[]): MatchedRoute["params"] {
  const params: MatchedRoute["params"] = {};
  for (const [index, name] of splitPath(pattern).entries())
    if (name.startsWith("[")) params[name.slice(1, -1)] = segments[index] ?? "";
  return params;
}

function readRouteTree(root: string): RouteNode {
  const file = path.join(root, ".next/app-path-routes-manifest.json");
  const patterns = Object.values(JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, string>);
  // Catch-all routes only respond that nothing is there.
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

/** Literal segments take precedence over parameters, as in Next's router. */
function findPattern(node: RouteNode, segments: readonly string[]): string | undefined {
  const [first, ...others] = segments;
  if (first === undefined) return node.pattern;
  const literal = node.literal.get(first);
  return (literal && findPattern(literal, others)) ?? (node.named && findPattern(node.named, others));
}

function resolveAlias(pathname: string): string {
  const alias = API_PATH_ALIASES.find(({ path }) => pathname === path || pathname.startsWith(`${path}/`));
  return alias ? alias.target + pathname.slice(alias.path.length) : pathname;
}

const splitPath = (pathname: string): string[] => pathname.split("/").filter(Boolean);

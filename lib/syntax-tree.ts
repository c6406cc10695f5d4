/** Syntax trees of `@babel/parser`, as tests of the sources read them. */

export type SyntaxNode = { type: string; [key: string]: unknown };

export const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";

export const listChildSyntaxNodes = (node: SyntaxNode): SyntaxNode[] =>
  Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isSyntaxNode) : isSyntaxNode(value) ? [value] : [],
  );

/** Lists a node and all nodes below it, in the order of the source. */
export const listSyntaxNodes = (node: SyntaxNode): SyntaxNode[] => [
  node,
  ...listChildSyntaxNodes(node).flatMap(listSyntaxNodes),
];

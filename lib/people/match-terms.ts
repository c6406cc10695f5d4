import { listMatchKeys } from "#lib/design/match-key.ts";

export type NamedPerson = { name: string; handles: readonly string[]; addresses: readonly string[] };

/**
 * Computes the terms by which a person named in one incident is found in another: they are equal, or they aren't the same
 * person (contract 7.22). Names are compared in the spelling of a search, with each kind apart, so that a handle is never
 * taken for a name.
 */
export const computeMatchTerms = ({ name, handles, addresses }: NamedPerson): string[] => [
  ...new Set([
    ...computeNameTerms(name),
    ...handles.map((handle) => `handle:${handle.replace(/^@+/, "").toLowerCase()}`),
    ...addresses.map((address) => `address:${address.toLowerCase()}`),
  ]),
];

/** Computes only the terms of a name. */
export const computeNameTerms = (name: string): string[] => listMatchKeys(name).map((key) => `name:${key}`);

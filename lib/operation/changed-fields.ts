import { isDeepStrictEqual } from "node:util";

/**
 * Lists the members of a change that differ from what is stored, so that a record that is written back as it was read
 * writes nothing (contract 3.9). Dates are compared by time, lists by what is in them.
 */
export const listChangedFields = <Change extends object>(
  stored: object,
  change: Change,
): (keyof Change & string)[] =>
  Object.entries(change).flatMap(([name, value]) =>
    value === undefined || isDeepStrictEqual((stored as Record<string, unknown>)[name], value)
      ? []
      : (name as keyof Change & string),
  );

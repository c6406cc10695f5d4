import { containerScope, type PathParams } from "#lib/operation/operation.ts";
import { idInPath } from "#lib/operation/path-params.ts";
import type { Subject } from "#lib/operation/policy.ts";

export type AccountSubject = Subject & { userId: string };

/** An account of the installation; the statement that reads or changes it finds out whether there is one. */
export const accountScope = containerScope(async (params: PathParams): Promise<AccountSubject> => ({
  userId: idInPath(params.userId),
}));

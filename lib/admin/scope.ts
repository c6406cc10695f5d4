import { createContainerScope, type PathParams } from "#lib/operation/operation.ts";
import { parsePathId } from "#lib/operation/path-params.ts";
import type { Subject } from "#lib/operation/policy.ts";

export type AccountSubject = Subject & { userId: string };

/** The account that a path names; the statement that reads or changes it checks that it exists. */
export const accountScope = createContainerScope(async (params: PathParams): Promise<AccountSubject> => ({
  userId: parsePathId(params.userId),
}));

import { createContainerScope, type PathParams } from "#lib/operation/operation.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";

export type AccountPermissionSubject = PermissionSubject & { userId: string };

/** The account that a path names; the statement that reads or changes it checks that it exists. */
export const accountScope = createContainerScope(
  async (params: PathParams): Promise<AccountPermissionSubject> => ({
    userId: parsePathIdOrNilUuid(params.userId),
  }),
);

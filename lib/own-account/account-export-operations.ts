import { exportCurrentUserData } from "#lib/own-account/account-export.ts";
import { defineOperation, globalScope } from "#lib/operation/operation.ts";

export const exportAccount = defineOperation({
  name: "exportAccount",
  summary: "Download your data",
  on: globalScope,
  can: "account.secure",
  output: null,
  produces: ["application/json"],
  limit: "search",
  run: (context) => exportCurrentUserData(context),
});

import { globalScope, defineOperation } from "#lib/operation/operation.ts";
import { listJumpResults } from "#lib/incidents/jump-queries.ts";
import { JumpQuery, JumpResults } from "#lib/incidents/jump-schema.ts";

/** Finds only what the caller may open: incidents as in the lists, events of their roles, people they work with. */
export const searchJumpTargets = defineOperation({
  name: "jump",
  summary: "Search incidents, events and people to jump to",
  on: globalScope,
  can: "jump.search",
  input: JumpQuery,
  output: JumpResults,
  run: ({ actor }, query) => listJumpResults(actor, query),
});

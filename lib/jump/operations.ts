import { nothing, operation } from "#lib/operation/operation.ts";
import { findForJump } from "#lib/jump/queries.ts";
import { JumpQuery, JumpResults } from "#lib/jump/schema.ts";

/** Only what the caller may open is found: incidents as in the lists, events of their roles, people they work with. */
export const jump = operation({
  name: "jump",
  summary: "Find incidents, events and people by a few words, to go there",
  on: nothing,
  can: "incident.listAcrossEvents",
  input: JumpQuery,
  output: JumpResults,
  run: ({ actor }, query) => findForJump(actor, query),
});

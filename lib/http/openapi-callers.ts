import type { PolicyRule } from "#lib/operation/policy.ts";

/** Says who may do something by a row of the policy, in a sentence for the OpenAPI document. */
export function describeCallers(rule: PolicyRule): string {
  const tokens = describeTokens(rule);
  return [`${describePeople(rule)}.`, ...(tokens ? [`${tokens}.`] : [])].join(" ");
}

function describePeople(rule: PolicyRule): string {
  if (rule.public) return "Anyone may call it, also without a session";
  if (rule.mailbox) return "For whoever has opened the mailbox with its seven words";
  if (rule.signedIn)
    return `Anyone who is signed in may call it${rule.verified ? ", once their email address is confirmed" : ""}`;
  const callers = [
    ...(rule.event ? [`${joinNames(rule.event)} of the event`] : []),
    ...(rule.own ? [`${joinNames(rule.own)} on own reports`] : []),
    ...(rule.organization ? [`${joinNames(rule.organization)} of the organization`] : []),
    "SystemAdmin",
  ];
  return `For ${callers.join("; ")}`;
}

function describeTokens({ sessionOnly, service, exports: exporting }: PolicyRule): string {
  if (sessionOnly) return "No token is accepted";
  const more = [...(service ? ["service tokens"] : []), ...(exporting ? ["tokens for exports"] : [])];
  return more.length > 0 ? `Also for ${joinNames(more)}` : "";
}

const joinNames = (names: readonly string[]): string => names.join(", ").replace(/, ([^,]*)$/, " and $1");

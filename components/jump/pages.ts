import type { Key } from "#lib/i18n/catalogue.ts";
import { type Actor, answersReports } from "#lib/operation/policy.ts";
import { useWords } from "#words";
import type { Target } from "./targets.ts";

/** Pages that have no other way in than their address, for whom they are open. */
type JumpPage = { key: Key<"jump">; href: string };

/** Where this person can go, whatever they work on. */
export function usePagesFor(actor: Actor): Target[] {
  const t = useWords("jump");
  return pagesFor(actor).map(({ key, href }) => ({ id: href, label: t(key), about: "", href }));
}

function pagesFor(actor: Actor): JumpPage[] {
  const member = actor.systemAdmin || actor.organizations.length > 0;
  return [
    { key: answersReports(actor) ? "inbox" : "ownReports", href: "/inbox" },
    { key: "notifications", href: "/notifications" },
    { key: "account", href: "/account" },
    { key: "security", href: "/account/security" },
    { key: "tokens", href: "/account/tokens" },
    ...(member ? [{ key: "organizations", href: "/orgs" } as const] : []),
    ...(actor.systemAdmin ? [{ key: "system", href: "/system" } as const] : []),
    { key: "reference", href: "/reference" },
  ];
}

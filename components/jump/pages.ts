import type { MessageKey } from "#lib/i18n/catalogue.ts";
import {
  isSystemAdmin,
  canSeeSomeOrganization,
  type Actor,
  isOnAnyTeamOrSystemAdmin,
} from "#lib/operation/policy.ts";
import { useTranslator } from "#i18n";
import type { JumpTarget } from "./targets.ts";

/** A page that belongs to no event and no organization: the key of its name, and its URL. */
type JumpPageLink = { key: MessageKey<"jump">; href: string };

/** Returns the pages this person can open from anywhere. */
export function useJumpPages(actor: Actor): JumpTarget[] {
  const t = useTranslator("jump");
  return listMatchingJumpPages(actor).map(({ key, href }) => ({ id: href, label: t(key), about: "", href }));
}

function listMatchingJumpPages(actor: Actor): JumpPageLink[] {
  const isMember = canSeeSomeOrganization(actor);
  const isOnTeam = isOnAnyTeamOrSystemAdmin(actor);
  return [
    { key: isOnTeam ? "inbox" : "ownReports", href: "/inbox" },
    ...(isOnTeam ? [{ key: "peopleInReports", href: "/people" } as const] : []),
    { key: "notifications", href: "/notifications" },
    { key: "account", href: "/account" },
    { key: "security", href: "/account/security" },
    { key: "tokens", href: "/account/tokens" },
    ...(isMember ? [{ key: "organizations", href: "/orgs" } as const] : []),
    ...(isSystemAdmin(actor) ? [{ key: "system", href: "/system" } as const] : []),
    { key: "reference", href: "/reference" },
  ];
}

import { prisma } from "#lib/database/client.ts";
import { recordSessionOrTokenLastUse } from "#lib/accounts/last-use.ts";
import { hashToken } from "#lib/accounts/sessions.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { SERVICE_TOKEN_DISPLAY_NAME_PREFIX } from "#lib/operation/token-scope.ts";

export const SERVICE_TOKEN_PREFIX = "heed_service_";

/** Returns whether a text has the format of a service token. */
export const hasServiceTokenFormat = (text: string): boolean => /^heed_service_[A-Za-z0-9_-]{43}$/.test(text);

/** Returns whether a service token has expired and is still in its organization's list. */
export async function isExpiredServiceToken(token: string): Promise<boolean> {
  const where = { tokenHash: hashToken(token), revokedAt: null, expiresAt: { lte: new Date() } };
  return (await prisma.serviceToken.count({ where })) > 0;
}

const EVENT_COLUMNS = { id: true, slug: true, organizationId: true, timeZone: true } as const;

const TOKEN_COLUMNS = {
  id: true,
  name: true,
  scope: true,
  organizationId: true,
  eventId: true,
  lastUsedAt: true,
  event: { select: EVENT_COLUMNS },
  organization: { select: { slug: true, events: { select: EVENT_COLUMNS } } },
} as const;

/**
 * Finds the actor of a service token: the token itself, with fixed roles (docs/decisions/057). Returns null when it is
 * expired or revoked.
 */
export async function findServiceTokenActor(token: string): Promise<Actor | null> {
  const tokenHash = hashToken(token);
  const row = await prisma.serviceToken.findFirst({
    where: { tokenHash, revokedAt: null, expiresAt: { gt: new Date() } },
    select: TOKEN_COLUMNS,
  });
  if (!row) return null;
  recordSessionOrTokenLastUse("service_tokens", row.id, row.lastUsedAt ?? new Date(0));
  const { id, scope, organizationId, eventId, event, organization } = row;
  const events = event ? [event] : scope === "export" ? [] : organization.events;
  return {
    id,
    email: "",
    name: SERVICE_TOKEN_DISPLAY_NAME_PREFIX + row.name,
    avatarUrl: null,
    sessionId: id,
    systemAdmin: false,
    organizations: eventId ? [] : [{ organizationId, slug: organization.slug, role: "org_viewer" }],
    events: events.map(({ id: ownId, ...place }) => ({ eventId: ownId, ...place, roles: ["Responder"] })),
    token: { scope, eventId, organizationId, service: true },
  };
}

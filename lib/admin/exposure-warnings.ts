import { prisma } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { MISCONFIGURATION_WARNING_CODES, type MisconfigurationWarningCode } from "#lib/admin/warnings.ts";
import { log } from "#lib/observability/log.ts";

const WARNING_ADVICE: Record<MisconfigurationWarningCode, string> = {
  localModeReachedFromElsewhere:
    "A request came from another machine, but the service runs in local mode: without rate limits and https. Set BASE_URL.",
  unknownProxy:
    "A request carried X-Forwarded-For from a peer that TRUSTED_PROXIES does not name. Behind such a proxy everybody shares one address and its rate limits. Add the proxy's address to TRUSTED_PROXIES, or let it drop the header.",
  noMailServer:
    "BASE_URL is set, but SMTP_URL isn't: nobody receives mail, neither notifications nor links to confirm an address or set a password. Set SMTP_URL.",
};

/** Logs what the settings alone show, at the start. */
export function logMisconfiguredSettings(): void {
  if (lacksMailServer())
    log.warn({ source: "settings", warning: "noMailServer" }, WARNING_ADVICE.noMailServer);
}

const lacksMailServer = (): boolean => env().production && env().SMTP_URL === undefined;

/** Logs the warning and stores its time for the system page, which another process may serve. */
export async function recordMisconfigurationWarning(warning: MisconfigurationWarningCode): Promise<void> {
  log.warn({ source: "exposure", warning }, WARNING_ADVICE[warning]);
  const key = buildWarningKey(warning);
  const value = new Date().toISOString();
  await prisma.installationMetadata
    .createMany({ data: { key, value }, skipDuplicates: true })
    .then(() => prisma.installationMetadata.updateMany({ where: { key }, data: { value } }))
    .catch(() => log.debug({ source: "exposure", warning }, "the warning was not kept"));
}

type MisconfigurationWarning = { warning: MisconfigurationWarningCode; seenAt: Date };

const WARNING_DISPLAY_MS = 24 * 60 * 60 * 1000;

/**
 * Returns the warnings of the last 24 hours that were recorded since this process started, and those that its settings
 * give since then. In production mode it omits the warning about local mode.
 */
export async function listRecentMisconfigurationWarnings(): Promise<MisconfigurationWarning[]> {
  const startedAt = Date.now() - process.uptime() * 1000;
  const since = Math.max(Date.now() - WARNING_DISPLAY_MS, startedAt);
  const rows = await prisma.installationMetadata.findMany({
    where: { key: { in: MISCONFIGURATION_WARNING_CODES.map(buildWarningKey) } },
  });
  return MISCONFIGURATION_WARNING_CODES.flatMap((warning): MisconfigurationWarning[] => {
    if (warning === "noMailServer")
      return lacksMailServer() ? [{ warning, seenAt: new Date(startedAt) }] : [];
    const seen = rows.find(({ key }) => key === buildWarningKey(warning));
    const isRelevant = warning !== "localModeReachedFromElsewhere" || !env().production;
    const seenAt = new Date(seen?.value ?? 0);
    return isRelevant && seenAt.getTime() >= since ? [{ warning, seenAt }] : [];
  });
}

const buildWarningKey = (warning: MisconfigurationWarningCode) => `warning.${warning}`;

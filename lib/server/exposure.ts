import type { IncomingMessage } from "node:http";
import os from "node:os";
import type { Env } from "#lib/env.ts";
import type { MisconfigurationWarningCode } from "#lib/admin/warnings.ts";
import { normalizeIpAddress, createTrustedProxyMatcher } from "./client-address.ts";

/** How long a process waits before it repeats a warning, in ms. */
const MIN_WARNING_INTERVAL_MS = 60 * 60 * 1000;

type ExposureWatcher = (request: IncomingMessage) => void;
type Clock = () => number;

/**
 * Watches for requests that show a wrong configuration: local mode reached from another machine, or a proxy that
 * TRUSTED_PROXIES doesn't name. Calls `warn` at most once an hour for each.
 * @throws Error on an invalid TRUSTED_PROXIES
 */
export function createMisconfigurationWatcher(
  { production, TRUSTED_PROXIES }: Pick<Env, "production" | "TRUSTED_PROXIES">,
  warn: (warning: MisconfigurationWarningCode) => void,
  now: Clock = Date.now,
): ExposureWatcher {
  const isTrusted = createTrustedProxyMatcher(TRUSTED_PROXIES);
  const isDue = createWarningThrottle(MIN_WARNING_INTERVAL_MS, now);
  return ({ socket, headers }) => {
    const peer = normalizeIpAddress(socket.remoteAddress ?? "") ?? "";
    if (!production && !isOwnAddress(peer) && isDue("localModeReachedFromElsewhere"))
      warn("localModeReachedFromElsewhere");
    const isForwarded = headers["x-forwarded-for"] !== undefined && !isRequestOfNext(peer, headers);
    if (isForwarded && !isTrusted(peer) && isDue("unknownProxy")) warn("unknownProxy");
  };
}

/**
 * Returns whether Next itself sent the request, to load the page to which a server action redirects. It copies the
 * headers of the action's request, those of the request guard included, and has added X-Forwarded-For to them.
 */
const isRequestOfNext = (peer: string, headers: IncomingMessage["headers"]): boolean =>
  isOwnAddress(peer) && headers["x-heed-client"] !== undefined;

function createWarningThrottle(ms: number, now: Clock): (warning: MisconfigurationWarningCode) => boolean {
  const warnedAt = new Map<MisconfigurationWarningCode, number>();
  return (warning) => {
    if (now() - (warnedAt.get(warning) ?? -Infinity) < ms) return false;
    warnedAt.set(warning, now());
    return true;
  };
}

/** Returns whether an address is loopback or belongs to one of this machine's network interfaces. */
function isOwnAddress(address: string): boolean {
  if (address === "::1" || address.startsWith("127.")) return true;
  return Object.values(os.networkInterfaces()).some((card) => card?.some((one) => one.address === address));
}

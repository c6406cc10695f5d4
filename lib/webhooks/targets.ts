import net from "node:net";
import ipaddr from "ipaddr.js";
import { env } from "#lib/env.ts";
import { resolveHost } from "#lib/webhooks/host-names.ts";

/**
 * Limits the targets of webhooks. Otherwise anyone who can create a webhook could make the service call addresses that
 * only it can reach: this machine, its network, its host's metadata service.
 */

export class PrivateTargetError extends Error {
  readonly code = "PRIVATE_ADDRESS";

  constructor() {
    super("the target is no public address");
  }
}

/** Returns whether anybody on the internet can reach an address: not a special, mapped, tunneled or reserved one. */
export function isPublicAddress(address: string): boolean {
  const unbracketed = address.replace(/^\[|\]$/g, "");
  if (!ipaddr.isValid(unbracketed)) return false;
  const parsed = ipaddr.parse(unbracketed);
  if (parsed.range() !== "unicast") return false;
  // Only 2000::/3 of IPv6 is allocated; the rest includes old notations of IPv4 addresses.
  return parsed.kind() === "ipv4" || parsed.match(ipaddr.parseCIDR("2000::/3"));
}

const isAllowedAddress = (address: string): boolean =>
  env().WEBHOOK_PRIVATE_TARGETS || isPublicAddress(address);

/** Refuses a URL whose host is an IP address, in any notation, that isn't allowed. @throws PrivateTargetError */
export function refusePrivateIpHost(target: URL): void {
  const host = target.hostname.replace(/^\[|\]$/g, "");
  if (net.isIP(host) && !isAllowedAddress(host)) throw new PrivateTargetError();
}

/**
 * Looks up the target when it is saved. A name that can't be resolved now is accepted: each delivery checks again.
 * @throws PrivateTargetError when the target is or resolves to an address that isn't allowed
 */
export async function refusePrivateTarget(target: URL): Promise<void> {
  refusePrivateIpHost(target);
  if (net.isIP(target.hostname.replace(/^\[|\]$/g, ""))) return;
  const resolved = await resolveHost(target.hostname).catch(() => []);
  if (!resolved.every(({ address }) => isAllowedAddress(address))) throw new PrivateTargetError();
}

/**
 * Resolves a webhook's host name for the HTTP client. The connection goes to the address that was checked, so that the
 * name can't change its target between the check and the connection. Fails if the name has any address that isn't
 * allowed.
 */
export const resolvePublicAddress: net.LookupFunction = (hostname, options, callback) => {
  resolveHost(hostname).then(
    (addresses) => {
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isAllowedAddress(address)))
        return callback(new PrivateTargetError(), []);
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    },
    (error: NodeJS.ErrnoException) => callback(error, []),
  );
};

import net from "node:net";
import ipaddr from "ipaddr.js";
import { env } from "#lib/env.ts";
import { lookUpHost } from "#lib/webhooks/host-names.ts";

/**
 * Where a webhook may lead. Whoever may set one up could otherwise have the service knock at doors that only it can
 * reach: this machine, its network, the metadata service of its host.
 */

export class PrivateTargetError extends Error {
  readonly code = "PRIVATE_ADDRESS";

  constructor() {
    super("the target is no public address");
  }
}

/** True for addresses that anybody on the internet can reach; nothing special, mapped, tunnelled or reserved. */
export function isPublicAddress(address: string): boolean {
  const unbracketed = address.replace(/^\[|\]$/g, "");
  if (!ipaddr.isValid(unbracketed)) return false;
  const parsed = ipaddr.parse(unbracketed);
  if (parsed.range() !== "unicast") return false;
  // Of IPv6, only 2000::/3 is given out; what is left over holds old ways to write an IPv4 address.
  return parsed.kind() === "ipv4" || parsed.match(ipaddr.parseCIDR("2000::/3"));
}

const isAllowedAddress = (address: string): boolean =>
  env().WEBHOOK_PRIVATE_TARGETS || isPublicAddress(address);

/** @throws PrivateTargetError when the address names an IP address, in whatever notation, that is not to be reached. */
export function refusePrivateLiteral(target: URL): void {
  const host = target.hostname.replace(/^\[|\]$/g, "");
  if (net.isIP(host) && !isAllowedAddress(host)) throw new PrivateTargetError();
}

/**
 * Looks the target up, when it is saved. A name that can't be looked up now is let pass: the delivery looks again.
 * @throws PrivateTargetError when it leads to an address that is not to be reached
 */
export async function refusePrivateTarget(target: URL): Promise<void> {
  refusePrivateLiteral(target);
  if (net.isIP(target.hostname.replace(/^\[|\]$/g, ""))) return;
  const resolved = await lookUpHost(target.hostname).catch(() => []);
  if (!resolved.every(({ address }) => isAllowedAddress(address))) throw new PrivateTargetError();
}

/**
 * The look-up of a delivery: the connection goes to an address that was checked, so that a name can't lead elsewhere
 * between the check and the connection. One address that is not to be reached refuses them all.
 */
export const publicLookup: net.LookupFunction = (hostname, options, callback) => {
  lookUpHost(hostname).then(
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

import net from "node:net";

/**
 * Whose address a request counts for. A forwarded header is believed only as far as the chain of proxies that
 * TRUSTED_PROXIES names reaches back from the socket (contract 3.13).
 */

type Trust = (address: string) => boolean;

/** Reads TRUSTED_PROXIES: addresses and ranges, separated by commas. @throws Error naming the entry that is neither. */
export function trustedProxies(text: string): Trust {
  const list = new net.BlockList();
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) addEntry(list, entry);
  return (address) => net.isIP(address) !== 0 && list.check(address, net.isIPv4(address) ? "ipv4" : "ipv6");
}

/** The nearest address that is not a trusted proxy; the farthest proxy when there is no such thing. */
export function clientAddress(
  socket: string | undefined,
  forwardedFor: string | undefined,
  isTrusted: Trust,
): string {
  let nearest = plainAddress(socket ?? "") ?? "";
  for (const hop of (forwardedFor ?? "").split(",").reverse()) {
    if (!isTrusted(nearest)) break;
    const address = plainAddress(hop);
    if (!address) break;
    nearest = address;
  }
  return nearest;
}

/** An address without port, brackets, zone or the IPv6 dress of an IPv4 address; undefined when it is none. */
export function plainAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const address = (bare.split("%", 1)[0] ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
  return net.isIP(address) ? address.toLowerCase() : undefined;
}

function addEntry(list: net.BlockList, entry: string): void {
  const [address = "", bits] = entry.split("/");
  const family = net.isIPv4(address) ? "ipv4" : "ipv6";
  const most = family === "ipv4" ? 32 : 128;
  const valid =
    net.isIP(address) !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
  if (!valid)
    throw new Error(
      `TRUSTED_PROXIES should be addresses or ranges such as 10.0.0.0/8, separated by commas; ${entry} is neither.`,
    );
  list.addSubnet(address, bits === undefined ? most : Number(bits), family);
}

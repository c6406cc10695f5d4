import net from "node:net";

/**
 * Determines which client address a request counts toward. Forwarded headers are believed only as far back from the
 * socket as the chain of proxies in TRUSTED_PROXIES reaches (contract 3.13).
 */

type TrustCheck = (address: string) => boolean;

/**
 * Creates a function that returns whether an address is that of a trusted proxy.
 * @param text TRUSTED_PROXIES: addresses and ranges, separated by commas
 * @throws Error naming the entry that is neither
 */
export function createTrustedProxyMatcher(text: string): TrustCheck {
  const list = new net.BlockList();
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) addEntry(list, entry);
  return (address) => net.isIP(address) !== 0 && list.check(address, net.isIPv4(address) ? "ipv4" : "ipv6");
}

/** Returns the nearest address that isn't a trusted proxy, or the farthest proxy when all of them are trusted. */
export function chooseClientAddress(
  socket: string | undefined,
  forwardedFor: string | undefined,
  isTrusted: TrustCheck,
): string {
  let nearest = normalizeIpAddress(socket ?? "") ?? "";
  for (const hop of (forwardedFor ?? "").split(",").reverse()) {
    if (!isTrusted(nearest)) break;
    const address = normalizeIpAddress(hop);
    if (!address) break;
    nearest = address;
  }
  return nearest;
}

/** Strips port, brackets, zone and IPv4-mapped prefix from an IP address; undefined when the text is none. */
export function normalizeIpAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const addressWithoutPort =
    /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const address = (addressWithoutPort.split("%", 1)[0] ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
  return net.isIP(address) ? address.toLowerCase() : undefined;
}

function addEntry(list: net.BlockList, entry: string): void {
  const [address = "", bits] = entry.split("/");
  const family = net.isIPv4(address) ? "ipv4" : "ipv6";
  const maxPrefixBits = family === "ipv4" ? 32 : 128;
  const valid =
    net.isIP(address) !== 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxPrefixBits));
  if (!valid)
    throw new Error(
      `TRUSTED_PROXIES should be addresses or ranges such as 10.0.0.0/8, separated by commas; ${entry} is neither.`,
    );
  list.addSubnet(address, bits === undefined ? maxPrefixBits : Number(bits), family);
}

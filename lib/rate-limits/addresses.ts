import net from "node:net";
import type { Lane } from "#lib/fair-queue.ts";

/** The lane of everybody at an address who isn't known (fair-queue.ts). */
export const createLaneForAddress = (address: string): Lane => ({
  name: `address ${toAddressBucket(address)}`,
  known: false,
});

/** Groups IPv4 by address and IPv6 by /64, since one household has a whole /64 (contract 3.13). */
export function toAddressBucket(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").split("%")[0] ?? "";
  if (net.isIPv6(plain)) return expandIPv6(plain).slice(0, 4).join(":");
  return net.isIPv4(plain) ? plain : "unknown";
}

function expandIPv6(address: string): string[] {
  const [head = "", tail] = address.toLowerCase().split("::");
  const left = head ? head.split(":") : [];
  const right = tail ? tail.split(":") : [];
  const gap = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...gap, ...right].map((group) => group.replace(/^0+(?=.)/, ""));
}

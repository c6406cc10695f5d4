import { Resolver } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import { readFile } from "node:fs/promises";

/**
 * Looks up host names without the system's resolver, whose every lookup blocks a thread that files and compression
 * need: an unresponsive name server would take them all. Search domains are not applied.
 */

const HOSTS_FILE = "/etc/hosts";

/** Total wait for all name servers, in milliseconds. */
const LOOKUP_TIMEOUT_MS = 3000;

/**
 * Finds all addresses of a name, in this machine's hosts file or from name servers.
 * @param servers name servers as address:port; the system's by default
 * @throws Error with the code ENOTFOUND without an address, or without a response within three seconds
 */
export async function resolveHost(hostname: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return [{ address: "127.0.0.1", family: 4 }];
  const local = await listHostsFileAddresses(name);
  return local.length > 0 ? local : queryNameServers(name, servers);
}

async function listHostsFileAddresses(name: string): Promise<LookupAddress[]> {
  const text = await readFile(HOSTS_FILE, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (!names.some((one) => one.toLowerCase() === name)) return [];
    return [{ address, family: address.includes(":") ? 6 : 4 }];
  });
}

async function queryNameServers(name: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: LOOKUP_TIMEOUT_MS, tries: 1 });
  if (servers) resolver.setServers(servers);
  const giveUp = setTimeout(() => resolver.cancel(), LOOKUP_TIMEOUT_MS);
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  clearTimeout(giveUp);
  const resolved = [...toAddresses(ipv4, 4), ...toAddresses(ipv6, 6)];
  if (resolved.length > 0) return resolved;
  throw Object.assign(new Error("no address is known for this name"), { code: "ENOTFOUND" });
}

const toAddresses = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];

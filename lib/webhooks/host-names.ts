import { Resolver } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import { readFile } from "node:fs/promises";

/**
 * Looks host names up without the system's resolver, each of whose look-ups holds a thread that files and compression
 * need: a name server that never answers would take them all. Search domains are not applied.
 */

const HOSTS_FILE = "/etc/hosts";

/** How long name servers are waited for, all of them together, in milliseconds. */
const LOOKUP_TIMEOUT_MS = 3000;

/**
 * Every address of a name, of this machine's hosts file or of the name servers.
 * @param servers name servers as address:port; those of the system when not given
 * @throws Error with the code ENOTFOUND when there is none, or no answer within three seconds
 */
export async function lookUpHost(hostname: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return [{ address: "127.0.0.1", family: 4 }];
  const local = await findInHostsFile(name);
  return local.length > 0 ? local : queryNameServers(name, servers);
}

async function findInHostsFile(name: string): Promise<LookupAddress[]> {
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

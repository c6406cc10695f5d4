import { Resolver } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import { readFile } from "node:fs/promises";

/**
 * Looks host names up without the system's resolver, each of whose look-ups holds a thread that files and compression
 * need: a name server that never answers would take them all. Search domains are not applied.
 */

const HOSTS_FILE = "/etc/hosts";

/** How long name servers are waited for, all of them together, in milliseconds. */
const LOOK_UP_MS = 3000;

/**
 * Every address of a name, of this machine's hosts file or of the name servers.
 * @param servers name servers as address:port; those of the system when not given
 * @throws Error with the code ENOTFOUND when there is none, or no answer within three seconds
 */
export async function lookUpHost(hostname: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return [{ address: "127.0.0.1", family: 4 }];
  const local = await inHostsFile(name);
  return local.length > 0 ? local : askNameServers(name, servers);
}

async function inHostsFile(name: string): Promise<LookupAddress[]> {
  const text = await readFile(HOSTS_FILE, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (!names.some((one) => one.toLowerCase() === name)) return [];
    return [{ address, family: address.includes(":") ? 6 : 4 }];
  });
}

async function askNameServers(name: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: LOOK_UP_MS, tries: 1 });
  if (servers) resolver.setServers(servers);
  const giveUp = setTimeout(() => resolver.cancel(), LOOK_UP_MS);
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  clearTimeout(giveUp);
  const found = [...addresses(ipv4, 4), ...addresses(ipv6, 6)];
  if (found.length > 0) return found;
  throw Object.assign(new Error("no address is known for this name"), { code: "ENOTFOUND" });
}

const addresses = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];

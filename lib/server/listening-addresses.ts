import type os from "node:os";

type NetworkInterfaces = ReturnType<typeof os.networkInterfaces>;
type Listener = { HOST: string | undefined; port: number };

const WILDCARD_HOSTS = new Set(["0.0.0.0", "::"]);
const LOOPBACK = /^(localhost|127\..*|::1)$/;

/** Returns a line with every address, besides localhost, at which other machines may reach the service; none if none. */
export function describeListeningAddresses(listener: Listener, interfaces: NetworkInterfaces): string[] {
  const urls = listOutsideAddresses(listener.HOST, interfaces).map(
    (address) => `http://${address.includes(":") ? `[${address}]` : address}:${listener.port}`,
  );
  return urls.length > 0 ? [`It listens on these addresses, too: ${urls.join(" ")}`] : [];
}

/** The warning of a service that listens on such addresses while it has no account. */
export const UNREGISTERED_WARNING =
  "Nobody has registered yet, and whoever does first becomes SystemAdmin. Other machines may reach these addresses: register now, or set HOST=127.0.0.1 until you have.";

function listOutsideAddresses(host: string | undefined, interfaces: NetworkInterfaces): string[] {
  if (host !== undefined && !WILDCARD_HOSTS.has(host)) return LOOPBACK.test(host) ? [] : [host];
  return (
    Object.values(interfaces)
      .flatMap((cards) => cards ?? [])
      .filter(({ internal, family }) => !internal && (host !== "0.0.0.0" || family === "IPv4"))
      .map(({ address }) => address)
      // Browsers take no link-local addresses, which need the name of a network card.
      .filter((address) => !address.startsWith("fe80:"))
  );
}

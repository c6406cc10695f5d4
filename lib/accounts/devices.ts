import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import type { Tx } from "#lib/database/client.ts";

/** Devices that people sign in from, identified by their user agent. */

/**
 * Remembers the device of a sign-in. Queues a mail to the owner when the device is new, except at the very first
 * sign-in, when there is no other device to compare with. The caller has locked the person's row.
 */
export async function recordDeviceAndMailIfNew(
  tx: Tx,
  userId: string,
  userAgent: string | null,
): Promise<void> {
  const device = { userId, deviceHash: hashDevice(userAgent) };
  const seen = await tx.knownDevice.updateMany({ where: device, data: { lastSeenAt: new Date() } });
  if (seen.count > 0) return;
  const others = await tx.knownDevice.count({ where: { userId } });
  await tx.knownDevice.createMany({ data: device });
  if (others > 0) await enqueueJob(tx, "mail.notice", { userId, kind: "newDevice" });
}

/** The rest of a longer user agent says nothing about the device. */
const MAX_USER_AGENT_LENGTH = 500;

/** Ignores versions: an updated browser is not a new device. */
const hashDevice = (userAgent: string | null) =>
  computeKeyedHash("device", (userAgent ?? "").slice(0, MAX_USER_AGENT_LENGTH).replace(/[\d._]+/g, ""));

/** Descriptions that pages translate, because they aren't product names. */
export const UNKNOWN_DEVICE_LABEL = "An unknown device";
export const UNNAMED_PROGRAM_LABEL = "A program";

/** Describes a device in words, such as "Firefox on Windows"; "An unknown device" where nothing is recognized. */
export function describeDevice(userAgent: string | null): string {
  const truncated = (userAgent ?? "").slice(0, MAX_USER_AGENT_LENGTH);
  const browser = findName(BROWSERS, truncated);
  const system = findName(SYSTEMS, truncated);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? UNKNOWN_DEVICE_LABEL;
}

type UserAgentPatterns = readonly (readonly [sign: Pick<RegExp, "test">, name: string])[];

const findName = (names: UserAgentPatterns, userAgent: string): string | undefined =>
  names.find(([sign]) => sign.test(userAgent))?.[1];

/** In-app browsers also claim to be Safari, but state no Safari version. */
const safariPattern = {
  test: (userAgent: string) => /\bVersion\/[\d.]/.test(userAgent) && userAgent.includes("Safari/"),
};

// Order matters: most browsers also claim to be another one.
const BROWSERS: UserAgentPatterns = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|Chromium|CriOS)\//, "Chrome"],
  [safariPattern, "Safari"],
  [/^curl\//, "curl"],
  [/^(node|undici|python-requests|Go-http-client|okhttp|axios|Wget)\b/i, UNNAMED_PROGRAM_LABEL],
];

const SYSTEMS: UserAgentPatterns = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

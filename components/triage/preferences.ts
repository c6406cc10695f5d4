import { cookies } from "next/headers";
import { getCurrentActor } from "#lib/http/page.ts";

/**
 * The list's density on this device, and whether single-key shortcuts are on, which applies to all of the reader's
 * devices.
 */
export type InboxPreferences = { compact: boolean; keys: boolean };

export const DENSITY_COOKIE = "heed_density";

/** Loads the preferences. Defaults: comfortable density, shortcuts on. */
export async function loadInboxPreferences(): Promise<InboxPreferences> {
  const jar = await cookies();
  return {
    compact: jar.get(DENSITY_COOKIE)?.value === "compact",
    keys: (await getCurrentActor())?.singleKeys !== false,
  };
}

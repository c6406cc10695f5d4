import { cookies } from "next/headers";
import { currentActor } from "#lib/http/page.ts";

/** How the list looks on this device, and whether it listens to single keys, which its reader chose for all devices. */
export type ListPreferences = { compact: boolean; keys: boolean };

export const DENSITY_COOKIE = "heed_density";

/** Comfortable, and with keys, unless somebody chose otherwise here. */
export async function loadListPreferences(): Promise<ListPreferences> {
  const jar = await cookies();
  return {
    compact: jar.get(DENSITY_COOKIE)?.value === "compact",
    keys: (await currentActor())?.singleKeys !== false,
  };
}

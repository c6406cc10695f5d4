import { cookies } from "next/headers";
import { cache } from "react";
import { z } from "zod";
import { signOut } from "#lib/accounts/accounts.ts";
import { findSessionActor } from "#lib/accounts/actor-queries.ts";
import {
  createExpiredSessionCookie,
  getSessionCookieName,
  unsealSessionCookie,
} from "#lib/accounts/sessions.ts";
import { defineSealedCookie } from "#lib/crypto/sealed-cookie.ts";
import { createCookieSetter } from "#lib/http/page-cookies.ts";
import { createPageCallContext } from "#lib/http/page.ts";
import { hasUsedQuickExit } from "#lib/http/quick-exit.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * A team member's device that is handed over, so that a person reads the report that the team member took for them. A
 * cookie of its own takes the place of the session cookie, and only the page of that report accepts it: on every other
 * page, the device is signed out.
 */

const HAND_OVER_SECONDS = 60 * 60;

const handedOverCookie = defineSealedCookie(
  { name: "handed-over", member: "h", seconds: HAND_OVER_SECONDS },
  z.object({
    /** Token of the session that the device had before the hand-over. */
    token: z.string(),
    incidentId: z.uuid(),
  }),
);

/** Signs this device out of everything but the page of this report. */
export async function handDeviceOverToReporter(incidentId: string): Promise<void> {
  const opened = await unsealSessionCookie((await cookies()).get(getSessionCookieName())?.value);
  if (!opened) return;
  const setCookie = createCookieSetter(await cookies());
  setCookie(await handedOverCookie.seal({ token: opened.token, incidentId }));
  setCookie(createExpiredSessionCookie());
}

const readHandedOverCookie = cache(async () => {
  const jar = await cookies();
  if (hasUsedQuickExit((name) => jar.get(name)?.value)) return null;
  return handedOverCookie.unseal(jar.get(handedOverCookie.getName())?.value);
});

/**
 * Returns the team member who handed this device over for this report; null when nobody did, or the hand-over has
 * ended.
 */
export const findActorWhoHandedOverDevice = cache(async (incidentId: string): Promise<Actor | null> => {
  const device = await readHandedOverCookie();
  return device?.incidentId === incidentId ? findSessionActor(device.token) : null;
});

/** Ends the hand-over of this device, if there is one, and the session that it had before. */
export async function endDeviceHandOverAndSignOut(): Promise<void> {
  const device = await readHandedOverCookie();
  if (!device) return;
  const actor = await findSessionActor(device.token);
  if (actor) await signOut(actor, (await createPageCallContext()).requestId);
  createCookieSetter(await cookies())(handedOverCookie.createExpired());
}

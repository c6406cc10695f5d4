import { z } from "zod";
import { idOut, time } from "#lib/operation/fields.ts";

const Place = z.object({ id: idOut, name: z.string(), slug: z.string() });

/** Roles that somebody granted, and that wait until their person accepts them; `id` is the event's or the organization's. */
export const Invitation = z.object({
  id: idOut,
  event: Place.nullable(),
  organization: Place,
  roles: z.array(z.string()),
  /** Null when their account is gone. */
  invitedBy: z.object({ name: z.string() }).nullable(),
  invitedAt: time,
});
export type InvitationRecord = z.input<typeof Invitation>;

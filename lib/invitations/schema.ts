import { z } from "zod";
import { idOutput, timeOutput } from "#lib/operation/fields.ts";

const PlaceRef = z.object({ id: idOutput, name: z.string(), slug: z.string() });

/** Roles that somebody granted, and that wait until their person accepts them; `id` is the event's or the organization's. */
export const Invitation = z.object({
  id: idOutput,
  event: PlaceRef.nullable(),
  organization: PlaceRef,
  roles: z.array(z.string()),
  /** Null when their account is gone. */
  invitedBy: z.object({ name: z.string() }).nullable(),
  invitedAt: timeOutput,
});
export type InvitationRecord = z.input<typeof Invitation>;

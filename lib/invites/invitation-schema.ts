import { z } from "zod";
import { idOutput, timeOutput } from "#lib/operation/fields.ts";

const PlaceRef = z.object({ id: idOutput, name: z.string(), slug: z.string() });

/** Granted roles that are pending until their person accepts them; `id` is that of the event or organization. */
export const InvitationOutput = z.object({
  id: idOutput,
  event: PlaceRef.nullable(),
  organization: PlaceRef,
  roles: z.array(z.string()),
  /** Null when the inviter's account is gone. */
  invitedBy: z.object({ name: z.string() }).nullable(),
  invitedAt: timeOutput,
});
export type InvitationRecord = z.input<typeof InvitationOutput>;
